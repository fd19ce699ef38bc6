"""docs/reference/http.md against the code: every call, every code, every metric."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.unit.api.serving import serving

from moot.api import problems
from moot.engine.counting import COUNTED
from moot.errors import ModelError
from moot.export import EXPORTS

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "http.md"
SOURCES = Path(problems.__file__).parent.rglob("*.py")


@pytest.fixture
def page() -> str:
    return PAGE.read_text()


async def test_has_every_call_and_no_other(tmp_path: Path, page: str) -> None:
    async with serving(tmp_path, worker=False) as on:
        paths = (await on.get("/openapi.json"))["paths"]
    calls = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    assert set(re.findall(r"^\| `([A-Z]+ /\S*)` \|", page, re.MULTILINE)) == calls


def test_has_every_code(page: str) -> None:
    table = set(re.findall(r"`([a-z_]+)`", page.partition("| code | status |")[2]))
    raised = {
        kind.code
        for kind in problems.TITLES
        if not issubclass(kind, ModelError) or kind.code == "no_model"  # calls happen in workers
    }
    made = set()
    for source in SOURCES:
        made |= set(
            re.findall(r'problem\(\s*(?:[0-9]{3}|HTTPStatus\.\w+), "([a-z_]+)"', source.read_text())
        )
    assert made >= {"unauthorized", "cross_origin", "too_many_viewers"}
    assert raised | made <= table


async def test_has_every_field_that_is_sent_or_taken(tmp_path: Path, page: str) -> None:
    async with serving(tmp_path, worker=False) as on:
        schemas = (await on.get("/openapi.json"))["components"]["schemas"]
    quoted = " ".join(re.findall(r"`[^`\n]+`", page))
    told = set(re.findall(r"\w+", quoted))
    fields = {(name, one) for name, kind in schemas.items() for one in kind.get("properties", ())}
    assert len(fields) > 300
    assert sorted((name, one) for name, one in fields if one not in told) == []


async def test_has_every_kind_of_export(page: str) -> None:
    (row,) = re.findall(r"^\| `GET /api/debates/\{debate_id\}/export` \|(.*)$", page, re.MULTILINE)
    assert set(EXPORTS) <= set(re.findall(r"[\w-]+", " ".join(re.findall(r"`([^`]+)`", row))))


async def test_every_problem_of_a_call_is_described(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        paths = (await on.get("/openapi.json"))["paths"]
    create = paths["/api/debates"]["post"]["responses"]
    assert create.keys() >= {"200", "201", "400", "401", "403", "409", "413", "415", "422", "429"}
    for path, methods in paths.items():
        told_as = "application/json" if path.startswith("/v1/") else "application/problem+json"
        for operation in methods.values():
            for status, told in operation["responses"].items():
                assert told["description"]
                assert status < "400" or list(told["content"]) == [told_as]


def test_has_every_metric(page: str) -> None:
    assert all(f"`moot_{name}_total`" in page for name in COUNTED)
