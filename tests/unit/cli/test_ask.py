"""`moot ask`: nothing but the answer on standard output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from moot.cli.app import cli
from moot.cli.exit_codes import ExitCode
from moot.cli.setup import Setup
from moot.testing.scripted import ScriptedModel, ScriptedModels

DUEL = ("--set", "turns=1")


class Asking:
    def __init__(self, home: Path) -> None:
        self._home = str(home)
        self.model = ScriptedModel()

    def __call__(self, *args: str, given: str = "", code: int = 0) -> Result:
        setup = Setup(home=self._home, models=ScriptedModels(self.model))
        done = CliRunner().invoke(cli, args, input=given, obj=setup)
        assert done.exit_code == code, done.output
        return done


@pytest.fixture
def typed(tmp_path: Path) -> Asking:
    return Asking(tmp_path / "home")


def test_the_answer_is_all_there_is_on_standard_output(typed: Asking) -> None:
    done = typed("ask", "duel", "Tea?", *DUEL)
    [row] = typed("list", "--json").stdout.splitlines()
    debate = json.loads(row)["id"]
    assert done.stdout == typed("export", debate, "--as", "answer").stdout
    assert debate in done.stderr
    assert "statement" in done.stderr


def test_quiet_leaves_standard_error_empty(typed: Asking) -> None:
    assert typed("ask", "duel", "Tea?", *DUEL, "--quiet").stderr == ""


def test_json_is_one_object(typed: Asking) -> None:
    done = typed("ask", "duel", "Tea?", *DUEL, "--json")
    answer = json.loads(done.stdout)
    assert answer["outcome"]["type"] == "verdict"
    assert answer["text"] + "\n" == typed("export", answer["debate_id"], "--as", "answer").stdout


def test_an_answer_goes_into_a_file(typed: Asking, tmp_path: Path) -> None:
    file = tmp_path / "answer.md"
    done = typed("ask", "duel", "Tea?", *DUEL, "-o", str(file))
    assert done.stdout == ""
    [row] = typed("list", "--json").stdout.splitlines()
    debate = json.loads(row)["id"]
    assert file.read_text() == typed("export", debate, "--as", "answer").stdout


def test_a_dry_run_asks_nobody(typed: Asking) -> None:
    done = typed("ask", "council", "Tea?", "--dry-run", "--answer", "We have milk.")
    assert "at most" in done.stdout
    assert typed("list", "--json").stdout == ""
    assert not typed.model.requests


def test_a_question_can_come_from_standard_input(typed: Asking) -> None:
    done = typed("ask", "duel", "-", *DUEL, "--json", given="Tea,\nor coffee?\n")
    shown = typed("show", json.loads(done.stdout)["debate_id"]).stdout
    assert "or coffee?" in shown


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (("room", "Tea?"), ExitCode.USAGE, "has no end"),
        (("duel", " "), ExitCode.USAGE, "must not be blank"),
        (("duel", "-"), ExitCode.USAGE, "must not be blank"),
        (("nobody", "Tea?"), ExitCode.NOT_FOUND, "ask a format"),
        (("duel", "Tea?", "--set", "turns=-1"), ExitCode.USAGE, "turns"),
        (("duel", "Tea?", "-o", "/"), ExitCode.USAGE, "is a directory"),
    ],
)
def test_a_mistake_is_told_and_nothing_is_made(
    typed: Asking, args: tuple[str, ...], code: ExitCode, told: str
) -> None:
    done = typed("ask", *args, code=code)
    assert told in done.stderr
    assert done.stdout == ""
    assert typed("list", "--json").stdout == ""
    assert not typed.model.requests
