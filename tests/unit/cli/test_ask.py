"""`moot ask`: nothing but the answer on standard output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from moot.cli.app import cli
from moot.cli.exit_codes import ExitCode
from moot.cli.options import Setup
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


def test_bytes_that_are_no_text_are_asked_as_what_can_be_read(typed: Asking) -> None:
    typed("ask", "duel", "\x1b[31mTea\x1b[0m\udcff?", *DUEL)
    [row] = typed("list", "--json").stdout.splitlines()
    assert json.loads(row)["topic"] == "Tea\ufffd?"


@pytest.mark.parametrize(
    ("asked", "panel"), [("duel", "duel"), ("rounds", ""), ("design", ""), ("ch.yaml", "")]
)
def test_only_a_saved_panel_is_named_in_its_debate(
    typed: Asking, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: str, panel: str
) -> None:
    (tmp_path / "ch.yaml").write_text("topic: Old?\nformat: duel\nsettings: {turns: 1}\n")
    monkeypatch.chdir(tmp_path)
    typed("ask", asked, "Tea?")
    [row] = typed("list", "--json").stdout.splitlines()
    log = typed("export", json.loads(row)["id"], "--as", "log").stdout
    assert (f'"panel":"{panel}"' in log) is bool(panel)
    assert ('"origin":{' in log) is bool(panel)


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (("room", "Tea?"), ExitCode.USAGE, "has no end"),
        (("duel", " "), ExitCode.USAGE, "must not be blank"),
        (("duel", "-"), ExitCode.USAGE, "must not be blank"),
        (("nobody", "Tea?"), ExitCode.NOT_FOUND, "ask a panel (council"),
        (("duel", "Tea?", "--set", "turns=-1"), ExitCode.USAGE, "turns"),
        (("poll", "Tea?", "--answer", "No."), ExitCode.USAGE, "--answer: has no effect on a poll"),
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


def test_a_panel_comes_before_a_format_of_its_name(typed: Asking, tmp_path: Path) -> None:
    panels = tmp_path / "home" / "panels"
    panels.mkdir(parents=True)
    (panels / "mine.yaml").write_text(
        "name: rounds\nabout: Mine.\nformat: duel\nsettings: {turns: 1}\nanswer: transcript\n"
    )
    done = typed("ask", "rounds", "Tea?")
    [row] = typed("list", "--json").stdout.splitlines()
    debate = json.loads(row)
    assert (debate["format"], debate["statements"]) == ("duel", 1)
    assert done.stdout == typed("export", debate["id"], "--as", "md").stdout


def test_a_file_of_a_panel_is_asked_by_its_path(typed: Asking, tmp_path: Path) -> None:
    file = tmp_path / "board.yaml"
    file.write_text("name: board\nabout: A.\nsettings: {turns: 1}\n")
    typed("ask", str(file), "Tea?")
    file.write_text("name: board\nabout: A.\nsetings: {turns: 1}\n")
    assert (
        "board.yaml:3: setings: unknown key"
        in typed("ask", str(file), "Tea?", code=ExitCode.USAGE).stderr
    )


def test_a_name_is_a_panels_whatever_lies_in_the_directory(
    typed: Asking, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("duel", "writing"):
        (tmp_path / name).mkdir()
        typed("ask", name, "Tea?", "--dry-run")


def test_a_file_beside_you_that_is_no_panel_yet_is_mentioned(
    typed: Asking, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "board.yaml").write_text("name: board\nabout: A.\n")
    told = typed("ask", "board", "Tea?", code=ExitCode.NOT_FOUND).stderr
    assert "ask it as board.yaml, or move it to" in told
    assert str(tmp_path / "home" / "panels") in told
    for name in ("boards", "b" * 400, "b\0"):
        told = typed("ask", name, "Tea?", code=ExitCode.NOT_FOUND).stderr
        assert "There is a file" not in told


def test_a_mistake_in_a_file_is_not_told_by_an_option(typed: Asking, tmp_path: Path) -> None:
    file = tmp_path / "debate.yaml"
    file.write_text("topic: T\nformat: poll\nsettings: {answer_type: choice}\n")
    told = typed("ask", str(file), "Tea?", code=ExitCode.USAGE).stderr
    assert "debate.yaml: settings.choices: needs two texts or more" in told
    pair = ("--set", "answer_type=choice")
    told = typed("ask", "poll", "Tea?", *pair, code=ExitCode.USAGE).stderr
    assert "--set choices: needs two texts or more" in told


def test_doctor_says_where_files_of_your_own_are(typed: Asking, tmp_path: Path) -> None:
    report = json.loads(typed("doctor", "--json").stdout)
    assert report["panels"] == str(tmp_path / "home" / "panels")
    assert report["personas"] == str(tmp_path / "home" / "personas")
    assert "Your own files" in typed("doctor").stdout


def test_a_follow_up_is_told_what_it_follows_and_says_so(typed: Asking) -> None:
    first = json.loads(typed("ask", "duel", "Tea or coffee?", *DUEL, "--json").stdout)["debate_id"]
    done = typed("ask", "duel", "And for children?", *DUEL, "--json", "--after", first[:8])
    second = json.loads(done.stdout)["debate_id"]
    assert "Tea or coffee?" in str(typed.model.requests[-1].messages)
    assert f"follow-up to {first}" in typed("show", second).stdout
    for kind, told in (("md", f"Follow-up to | {first}"), ("json", f'"follows": "{first}"')):
        assert told in typed("export", second, "--as", kind).stdout
    page = typed("export", second, "--as", "html").stdout
    assert f'>Follow-up to</dt><dd dir="auto">{first}</dd>' in page
    assert "ollow-up to" not in typed("export", first, "--as", "md").stdout


def test_what_has_no_answer_yet_cannot_be_followed(typed: Asking) -> None:
    typed("create", "Tea and cake?")
    [row] = typed("list", "--json").stdout.splitlines()
    first = json.loads(row)["id"]
    done = typed("ask", "duel", "And?", "--after", first, code=ExitCode.USAGE)
    assert "(created); ask again when it is over" in done.stderr
    typed("ask", "duel", "And?", "--after", "nowhere", code=ExitCode.NOT_FOUND)
    assert len(typed("list", "--json").stdout.splitlines()) == 1
