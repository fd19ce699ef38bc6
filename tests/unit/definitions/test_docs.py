"""Every debate on the how-to page can be run as it is printed, and every persona kept."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from moot.definitions import debates
from moot.definitions.debate_file import define
from moot.definitions.documents import parse
from moot.definitions.personas import specs_of
from moot.protocol.names import FORBIDDEN
from moot.protocol.registry import format_named
from moot.protocol.settings import read_settings

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "write-a-debate.md"
PERSONAS = PAGE.with_name("personas.md")


def examples(page: Path) -> list[str]:
    return re.findall(r"```yaml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


EXAMPLES = examples(PAGE)


@pytest.mark.parametrize("example", EXAMPLES)
def test_each_example_is_taken_by_its_format(example: str) -> None:
    definition = define(parse(example.encode(), str(PAGE)))
    form = format_named(definition.format)
    settings = read_settings(form.settings, definition.settings)
    given = debates.cast(definition, seed=1).participants
    assert len(form.cast(settings, given)) == len(given) >= 3


def test_the_persona_on_its_page_can_be_kept() -> None:
    (example,) = examples(PERSONAS)
    (spec,) = specs_of(parse(example.encode(), str(PERSONAS)))
    assert spec.role == "member"


def test_the_page_names_every_character_that_a_name_must_not_have() -> None:
    said = next(line for line in PAGE.read_text("utf-8").splitlines() if "must not contain" in line)
    assert all(char in said for char in FORBIDDEN)
