"""Every debate on the how-to page can be run as it is printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from moot.definitions import debates
from moot.definitions.define import define
from moot.definitions.yaml_file import parse
from moot.protocol.names import FORBIDDEN

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "write-a-debate.md"
EXAMPLES = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES)
def test_each_example_can_be_cast(example: str) -> None:
    definition = define(parse(example.encode(), str(PAGE)))
    assert len(debates.cast(definition, seed=1).participants) == 3


def test_the_page_names_every_character_that_a_name_must_not_have() -> None:
    said = next(line for line in PAGE.read_text("utf-8").splitlines() if "must not contain" in line)
    assert all(char in said for char in FORBIDDEN)
