"""What README shows is what Moot prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.unit.docs.snippets import ROOT

from moot.cli.app import cli

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_outcome_is_the_one_that_the_command_beside_it_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOOT_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    assert "`.venv/bin/moot show $(.venv/bin/moot samples open separate-accounts)`" in README
    opened = CliRunner().invoke(cli, ["samples", "open", "separate-accounts"])
    shown = CliRunner().invoke(cli, ["show", opened.stdout.strip()])
    box = README.partition("```text\n")[2].partition("```")[0]
    assert box in shown.stdout


def test_it_claims_no_package_index() -> None:
    assert "pip install moot" not in README
