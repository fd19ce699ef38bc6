"""What a debate would take, told before it is held; and what came of it, written to a file.

Issue 16, "Command line".
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.acceptance.terminals import Moot, Provider, process, the_id

from moot.cli.app import cli
from moot.cli.options import Setup
from moot.testing.scripted import ScriptedModel, ScriptedModels, sensible

ONE = ("remote-work", "--turns", "1", "--seed", "3")
UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
FILE = """
topic: Should people debate machines?
turns: 1
debaters: [{name: Ada}, {name: Bo}]
"""


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


# --- what it would take ---------------------------------------------------------------------------


def test_a_dry_run_tells_cast_and_figures_and_creates_nothing(moot: Moot) -> None:
    done = moot("run", *ONE, "--dry-run")

    assert done.exit_code == 0, done.output
    assert re.search(r"^FOR +Tomas Oyelaran +scripted:debater", done.stdout, re.MULTILINE)
    assert re.search(r"^calls +at most 10$", done.stdout, re.MULTILINE)
    assert re.search(r"^tokens out +[\d,]+ to [\d,]+$", done.stdout, re.MULTILINE)
    assert "unknown: no price is known for scripted:debater" in done.stdout
    assert "--seed 3" in done.stdout
    assert " id " not in done.stdout
    assert moot("list", "--json").stdout == ""


def test_a_dry_run_for_programs_is_one_line(moot: Moot) -> None:
    (line,) = moot("run", *ONE, "--dry-run", "--json").stdout.splitlines()

    told = json.loads(line)
    assert (told["calls"], told["cost_usd"], told["staged"]["seed"]) == (10, None, 3)
    assert told["staged"]["participants"][0]["name"] == "Tomas Oyelaran"
    assert moot("list", "--json").stdout == ""


def test_a_rematch_can_be_forecast(moot: Moot) -> None:
    moot("create", *ONE)
    done = moot("rematch", the_id(moot), "--swap", "--dry-run")

    assert done.exit_code == 0, done.output
    assert re.search(r"^AGAINST +Tomas Oyelaran", done.stdout, re.MULTILINE)
    assert len(moot("list", "--json").stdout.splitlines()) == 1


def test_a_dry_run_refuses_what_a_run_would(moot: Moot) -> None:
    strict = ("--strict-budget", "--set", "max_cost_usd=1")
    for more in (strict, ("--set", "max_tokens=0"), ("-o", "x.md")):
        done = moot("run", *ONE, "--dry-run", *more)
        assert done.exit_code == 2, done.output
    assert not Path("x.md").exists()


# --- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "begins"),
    [("v.md", "# "), ("v.html", "<!doctype html>"), ("v.json", "{"), ("v.csv", "seq,")],
)
def test_a_run_writes_its_result_to_a_file(moot: Moot, name: str, begins: str) -> None:
    Path(name).write_text("old")
    done = moot("run", *ONE, "-q", "-o", name)

    assert done.exit_code == 0
    assert f"written to {name}" in done.stderr
    assert Path(name).read_text().lower().startswith(begins)
    assert moot("export", the_id(moot), "-o", f"again-{name}").exit_code == 0
    assert Path(f"again-{name}").read_bytes() == Path(name).read_bytes()


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (".", "is a directory"),
        ("verdict.pdf", "end its name with"),
        ("no/where.md", "there is no directory"),
        ("folder.md", "is a directory"),
        ("-", "needs the name of a file"),
    ],
)
def test_a_place_that_cannot_be_is_told_before_anything_is_spent(
    moot: Moot, place: str, said: str
) -> None:
    Path("folder.md").mkdir()
    done = moot("run", *ONE, "-o", place)

    assert done.exit_code == 2
    assert said in done.stderr
    assert moot("list", "--json").stdout == ""


def test_a_debate_that_is_not_over_is_written_when_it_is(moot: Moot) -> None:
    moot("create", "Cats or dogs?", "--turns", "1", "--me", "Ann")
    debate = the_id(moot)
    done = moot("resume", debate, "-o", "v.md")

    assert done.exit_code == 5
    assert f"v.md was not written: the debate is not over. Once it is: moot export {debate}" in (
        done.stderr
    )
    assert not Path("v.md").exists()
    moot("cancel", debate, "--yes")
    assert moot("resume", debate, "-o", "v.md").exit_code == 0
    assert Path("v.md").exists()


def test_export_wants_a_kind_or_a_file(moot: Moot) -> None:
    moot("create", *ONE)
    done = moot("export", the_id(moot))
    assert done.exit_code == 2
    assert "give -o FILE, or --as" in done.stderr
    assert moot("export", the_id(moot), "--as", "md", "-o", "-").stdout.startswith("# ")


# --- standard input -------------------------------------------------------------------------------


def test_a_debate_file_is_read_from_standard_input(home: Path, moot: Moot) -> None:
    def run(text: str) -> tuple[int, str]:
        setup = Setup(models=ScriptedModels(ScriptedModel(sensible)))
        done = CliRunner().invoke(cli, ["run", "-", "--quiet"], obj=setup, input=text)
        return done.exit_code, done.stderr

    assert run("") == (2, "moot: standard input:1: is empty; a topic is the least it needs\n")
    assert run("topic: x\nturns: many\n")[1].startswith("moot: standard input:2: turns")
    assert moot("list", "--json").stdout == ""
    assert run(FILE) == (0, "")
    assert "Should people debate machines?" in moot("list", "--json").stdout


# --- times ----------------------------------------------------------------------------------------


def test_times_are_spelled_as_over_http(moot: Moot) -> None:
    moot("run", *ONE, "-q", "-o", "v.json")
    debate = the_id(moot)
    printed = [
        moot("list", "--json").stdout,
        moot("show", debate, "--json", "--private").stdout,
        moot("search", "home", "--json").stdout,
        moot("export", debate, "--as", "csv").stdout,
        moot("export", debate, "--as", "log").stdout,
        Path("v.json").read_text(),
    ]
    for text in printed:
        assert UTC.search(text)
        assert not re.search(r"\d\d:\d\d:\d\d(\.\d+)?\+00:00", text)
    assert all("outcome" in json.loads(line) for line in printed[0].splitlines())


# --- terminals that have little -------------------------------------------------------------------


def test_an_encoding_without_our_characters_is_spelled_out(
    home: Path, moot: Moot, provider: Callable[..., Provider], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    running = process(provider(), "run", *ONE, "--model", "openai:test")
    out, err = running.communicate(timeout=60)

    assert running.returncode == 0, err
    assert out.isascii()
    assert "* Tomas Oyelaran" in out
    assert "duel - 1 statement - seed 3" in out
    assert "Traceback" not in err
