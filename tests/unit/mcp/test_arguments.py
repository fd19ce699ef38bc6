"""What hosts are told of the tools."""

from __future__ import annotations

import jsonschema  # type: ignore[import-untyped]  # has no types of its own
import msgspec
import pytest

from moot.errors import InvalidInput
from moot.mcp.arguments import MUST, TOOLS, AskCouncil, Text, read, schema
from moot.mcp.server import tools

MOST_TOKENS = 900
CHARACTERS_A_TOKEN = 4


def test_all_descriptions_together_are_short() -> None:
    told = [one.model_dump_json(by_alias=True, exclude_none=True) for one in tools()]
    assert sum(map(len, told)) / CHARACTERS_A_TOKEN <= MOST_TOKENS


@pytest.mark.parametrize("tool", TOOLS)
def test_the_schema_of_each_tool_takes_its_own_defaults_and_nothing_unknown(tool: str) -> None:
    found = schema(tool)
    jsonschema.Draft202012Validator.check_schema(found)
    checker = jsonschema.Draft202012Validator(found)
    given = {name: one["default"] for name, one in found["properties"].items() if "default" in one}
    given |= {name: {} if name == "answers" else "x" for name in found["required"]}
    assert checker.is_valid(given)
    assert not checker.is_valid({**given, "nope": 1})
    assert read(tool, given) == read(tool, {name: given[name] for name in found["required"]})


def test_what_is_left_out_may_be_null() -> None:
    assert read("ask_council", {"question": "x", "panel": None}) == AskCouncil(question="x")


def test_files_are_texts_or_paths() -> None:
    files = [{"name": "a.md", "content": "A"}, "b.md"]
    found = read("ask_council", {"question": "x", "files": files})
    assert isinstance(found, AskCouncil)
    assert found.files == (Text(name="a.md", content="A"), "b.md")
    assert msgspec.to_builtins(found.files) == tuple(files)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "question"),
        ({"question": 3}, "question"),
        ({"question": "x" * 100_001}, "question"),
        ({"question": "x", "files": [{"name": 1, "content": ""}]}, "files[0].name"),
        ({"question": "x", "wait_seconds": True}, "wait_seconds"),
    ],
)
def test_a_wrong_argument_is_named(given: dict[str, object], field: str | None) -> None:
    with pytest.raises(InvalidInput) as caught:
        read("ask_council", given)
    assert caught.value.field == field


def test_every_argument_can_be_told_what_it_must_be() -> None:
    assert set(MUST) == {name for one in TOOLS.values() for name in one.takes.__struct_fields__}


@pytest.mark.parametrize(("given", "taken"), [(281, 280), (-1, 0), (float("nan"), 0), (3.5, 3.5)])
def test_a_wait_is_cut_to_what_can_be_had(given: float, taken: float) -> None:
    found = read("status", {"debate": "x", "wait_seconds": given})
    assert getattr(found, "wait_seconds", None) == taken
