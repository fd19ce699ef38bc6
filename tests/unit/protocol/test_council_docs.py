"""The how-to page of councils against the code."""

from __future__ import annotations

import re
from pathlib import Path

from moot.protocol.formats.council.order import CouncilSettings
from moot.protocol.machine import mermaid
from moot.protocol.registry import FORMATS
from moot.protocol.settings import RoundSettings

PAGES = Path(__file__).parents[3] / "docs" / "how-to"


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
