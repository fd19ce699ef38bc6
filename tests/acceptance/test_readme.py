"""What README shows is run as it stands."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def program() -> str:
    (found,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    return str(found)


def test_it_takes_ten_lines() -> None:
    lines = [line for line in program().splitlines() if line.strip()]
    assert len(lines) <= 10


@pytest.mark.embedded
@pytest.mark.xdist_group("embedded")
def test_it_runs_on_the_embedded_model_with_no_set_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MOOT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MOOT_MODEL", "local:smollm2")
    script = tmp_path / "readme.py"
    # Shorter replies than a reader would want, so that the suite stays quick.
    script.write_text(program().replace("turns=2", "turns=1, max_tokens=24"))
    runpy.run_path(str(script), run_name="__main__")
    printed = capsys.readouterr().out
    assert printed.count("(plan)") == 2
    assert printed.count("(speak)") == 1
    assert "Verdict(status=" in printed
