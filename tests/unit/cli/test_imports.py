"""`moot import` and `moot samples`, as somebody types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from moot.cli.app import cli
from moot.cli.exit_codes import ExitCode
from moot.cli.options import Setup
from moot.definitions import samples
from moot.protocol.vocabulary import NOTHING_ASKED, ORIGINS
from moot.testing.scripted import ScriptedModels

SAMPLE, FILE = ORIGINS["import/sample"], ORIGINS["import/file"]


class Typing:
    def __init__(self, home: Path) -> None:
        self._home = home

    def __call__(self, *args: str, given: str = "", code: int = 0) -> str:
        setup = Setup(home=str(self._home), models=ScriptedModels())
        done = CliRunner().invoke(cli, args, input=given, obj=setup, env={"COLUMNS": "120"})
        assert done.exit_code == code, done.output
        return done.output if code else done.stdout.strip()


@pytest.fixture
def typed(tmp_path: Path) -> Typing:
    return Typing(tmp_path / "home")


def test_a_sample_is_opened_and_shown_as_one(typed: Typing) -> None:
    listed = [json.loads(line) for line in typed("samples", "--json").splitlines()]
    assert [one["name"] for one in listed] == [one.name for one in samples.shipped()]
    debate = typed("samples", "open", "separate-accounts")
    assert typed("samples", "open", "separate-accounts") == debate
    shown = typed("show", debate)
    assert SAMPLE in shown
    assert NOTHING_ASKED in shown
    assert "sample" in typed("list")
    assert "there is no sample" in typed("samples", "open", "x", code=ExitCode.NOT_FOUND)


def test_a_log_is_carried_from_one_home_to_another(typed: Typing, tmp_path: Path) -> None:
    debate = typed("samples", "open", "a-dog")
    log = typed("export", debate, "--as", "log").replace("golden retriever", "greyhound")
    there = Typing(tmp_path / "there")
    taken = there("import", "-", given=log)
    assert there("import", "-", given=log) == taken
    assert FILE in there("show", taken)
    assert "imported" in there("list")
    assert json.loads(there("import", "-", "--json", given=log))["origin"] == "import/file"


def test_a_bad_file_is_named_with_its_line(typed: Typing, tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text("no\n")
    told = typed("import", str(file), code=ExitCode.USAGE)
    assert f"{file}: line 1: it is no log of a debate" in told
    assert "cannot be read" in typed("import", str(tmp_path), code=ExitCode.USAGE)
    assert "there is no file" in typed("import", "nowhere.jsonl", code=ExitCode.NOT_FOUND)
    assert "no debates yet" in typed("list")
