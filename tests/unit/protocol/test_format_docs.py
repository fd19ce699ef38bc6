"""docs/how-to/write-a-format.md: its formats are run as they stand on the page."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import msgspec
import pytest
from tests.unit.protocol.playing import Play, council, readable

from moot.prompts import render
from moot.protocol.checker import check
from moot.protocol.formats.council.rules import Council
from moot.protocol.machine import Format, mermaid
from moot.protocol.outcomes import Summary
from moot.protocol.registry import FORMATS
from moot.protocol.settings import as_data
from moot.protocol.values import Config
from moot.protocol.words import Status

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "how-to" / "write-a-format.md").read_text(encoding="utf-8")
CODE = re.findall(
    r"`(\w+\.py)`:\n\n<!-- run by tests/unit/.*? -->\n```python\n(.*?)```", PAGE, re.DOTALL
)
"""What each file is called, and what is in it."""


def made(name: str) -> Format:
    """The format of that name, made by the code of the page."""
    for path, code in CODE:
        module = ModuleType(f"docs_{Path(path).stem}")
        sys.modules[module.__name__] = module  # where msgspec looks up the types of settings
        exec(compile(code, path, "exec"), module.__dict__)  # noqa: S102 - our own docs
        for one in module.__dict__.values():
            if isinstance(one, type) and vars(one).get("name") == name:
                found: Format = one()
                return found
    pytest.fail(f"{name} is not on the page")


@pytest.mark.parametrize("name", ["circle", "premortem"])
def test_the_checker_finds_nothing_wrong_with_it(name: str) -> None:
    assert [one for one in check(made(name), render) if not one.ok] == []


def test_the_circle_is_played_to_its_end() -> None:
    circle = made("circle")
    config = Config(
        format="circle",
        topic="Tea or coffee?",
        settings=as_data(circle.settings()),
        participants=circle.cast(circle.settings(), ()),
    )
    played = Play(circle, config).run()
    assert played.state.status is Status.COMPLETED
    assert list(played.state.turns) == [
        "circle/1/ada/speak",
        "circle/1/bo/speak",
        "circle/2/ada/speak",
        "circle/2/bo/speak",
        "closing/1/ada/summarize",
    ]
    assert isinstance(played.state.outcome, Summary)
    assert readable(played.sent["circle/1/ada/speak"].step) in played.sent["circle/1/bo/speak"].text


def test_the_premortem_is_a_council_with_one_step_more_for_each_member_and_round() -> None:
    premortem = made("premortem")
    assert isinstance(premortem, Council)
    assert "refinement --> premortem: REFINEMENTS_COMPLETE" in mermaid(premortem)
    config = msgspec.structs.replace(
        council(3, rounds=2, termination="quality"), format="premortem"
    )
    played = Play(premortem, config).run()
    assert played.state.status is Status.COMPLETED
    imagined = [key for key in played.state.turns if key.startswith("premortem/")]
    assert len(imagined) == 6
    assert len(played.state.turns) == len(Play(FORMATS["council"], config).run().state.turns) + 6
    assert len(played.state.turns) <= premortem.most_calls(config)
    later = played.sent["critique/2/ada/critique/bo"]
    assert readable(played.sent["premortem/1/ada/think"].step) in later.text


@pytest.mark.parametrize(("path", "code"), CODE)
def test_it_needs_nothing_but_the_protocol_and_is_pure(path: str, code: str) -> None:
    del path
    names = {name for node in ast.walk(ast.parse(code)) for name in _imported(node)}
    for name in names:
        if name.startswith("moot."):
            assert name.startswith(("moot.protocol.", "moot.errors"))
        assert name.partition(".")[0] not in _impure(), "the protocol is pure"


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [one.name for one in node.names] if isinstance(node, ast.Import) else []


def _impure() -> set[str]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = {one["id"]: one for one in settings["tool"]["importlinter"]["contracts"]}
    return set(contracts["pure-protocol"]["forbidden_modules"])
