"""The how-to pages of councils and formats against the code."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import msgspec
import pytest
from tests.unit.protocol.playing import Play, council, readable

from moot.protocol.checker import problems
from moot.protocol.formats.council import Council
from moot.protocol.formats.council.settings import CouncilSettings
from moot.protocol.machine import mermaid
from moot.protocol.registry import FORMATS
from moot.protocol.settings import RoundSettings
from moot.protocol.words import Status

PAGES = Path(__file__).parents[3] / "docs" / "how-to"


@pytest.fixture(scope="module")
def premortem() -> Council:
    """The format of docs/how-to/write-a-format.md, made by its code, which is run as it is."""
    page = (PAGES / "write-a-format.md").read_text(encoding="utf-8")
    module = ModuleType("premortem")
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(code, "write-a-format.md", "exec"), module.__dict__)  # noqa: S102 - our own docs
    made = module.__dict__["Premortem"]()
    assert isinstance(made, Council)
    return made


def test_the_format_of_the_page_is_sound(premortem: Council) -> None:
    assert problems(premortem) == []
    assert "refinement --> premortem: REFINEMENTS_COMPLETE" in mermaid(premortem)


def test_the_format_of_the_page_is_played_to_its_end(premortem: Council) -> None:
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


def test_the_diagram_on_the_page_is_the_one_that_runs() -> None:
    page = (PAGES / "council.md").read_text(encoding="utf-8")
    assert f"```mermaid\n{mermaid(FORMATS['council'])}\n```" in page


def test_every_setting_is_on_the_page_with_its_default() -> None:
    page = (PAGES / "council.md").read_text(encoding="utf-8")
    own = set(CouncilSettings.__struct_fields__) - set(RoundSettings.__struct_fields__)
    rows = {
        name: row[2].strip(" `")
        for row in (line.split("|") for line in page.splitlines() if line.startswith("| `"))
        for name in re.findall(r"`(\w+)`", row[1])
    }
    assert own <= set(rows)
    for name in own - {"max_tokens_judge"}:
        default = getattr(CouncilSettings(), name)
        assert rows[name] == (str(default).lower() if isinstance(default, bool) else str(default))
