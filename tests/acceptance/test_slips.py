"""Slips of the hand: an id that is empty, short or ambiguous, a word that is no topic.

Nothing is destroyed and nothing is begun by any of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import click
import pytest
from tests.acceptance.terminals import Moot, Provider, Terminal, the_id
from tests.unit.api.serving import serving

from moot.cli.app import COMMANDS
from moot.engine import service
from moot.testing.server import ScriptedServer

NEW = ("remote-work", "--turns", "1", "--seed", "3")
FIRST, SECOND = "k3f2aaaaaaaaaaaa", "k3f2bbbbbbbbbbbb"


def commands_with_an_id() -> list[str]:
    found = []
    for name, (where, _) in COMMANDS.items():
        module, _, attribute = where.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        if any(param.name == "debate_id" for param in command.params):
            found.append(name)
    return found


MORE = {
    "export": ("--as", "md"),
    "say": ("hello",),
    "delete": ("--yes",),
    "answer": ("yes",),
    "rename": ("A title",),
}


@pytest.fixture
def two(moot: Moot, monkeypatch: pytest.MonkeyPatch) -> Moot:
    """Two debates whose ids begin alike."""
    ids = iter((FIRST, SECOND))
    monkeypatch.setattr(service, "new_id", lambda: next(ids))
    for _ in range(2):
        assert moot("create", *NEW).exit_code == 0
    return moot


def test_the_commands_that_take_an_id_are_found() -> None:
    assert {"delete", "cancel", "show", "resume", "stop"} <= set(commands_with_an_id())


@pytest.mark.parametrize("command", commands_with_an_id())
def test_an_empty_id_is_refused_by_every_command(moot: Moot, command: str) -> None:
    moot("create", *NEW)
    before = moot("list", "--json").stdout
    for empty in ("", " "):
        done = moot(command, empty, *MORE.get(command, ()))
        assert done.exit_code == 2, done.stdout
        assert "is empty" in done.stderr
    assert moot("list", "--json").stdout == before


@pytest.mark.parametrize("command", commands_with_an_id())
def test_an_ambiguous_id_is_refused_by_every_command(two: Moot, command: str) -> None:
    before = two("list", "--json").stdout
    done = two(command, "k3f2", *MORE.get(command, ()))
    assert done.exit_code == 2
    assert f"'k3f2' could be {FIRST}, {SECOND}; give more characters" in done.stderr
    assert two("list", "--json").stdout == before


@pytest.mark.parametrize("command", ["delete", "cancel"])
def test_three_characters_are_too_few_to_destroy_by(moot: Moot, command: str) -> None:
    moot("create", *NEW)
    before = moot("list", "--json").stdout
    done = moot(command, the_id(moot)[:3], "--yes")
    assert done.exit_code == 2
    assert "too short: give at least 4 characters" in done.stderr
    assert moot("list", "--json").stdout == before
    assert moot(command, the_id(moot)[:4], "--yes").exit_code == 0


async def test_http_takes_whole_ids_only(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        debate = await on.create()
        before = await on.debate(debate)
        for part in ("", "%20", debate[:-1], debate[:1], "*", "."):
            answer = await on.client.delete(f"/api/debates/{part}")
            assert answer.status_code in (307, 404, 405), part
            for command in ("start", "stop", "end", "cancel", "retry"):
                answer = await on.client.post(f"/api/debates/{part}/{command}", json={})
                assert answer.status_code in (307, 404, 405), (part, command)
        assert await on.debate(debate) == before


# --- deleting and canceling ask -------------------------------------------------------------------


def test_deleting_says_what_went(
    moot: Moot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("notes")
    moot("run", "Cats or dogs?", "--turns", "1", "--no-judge", "--attach", "notes.txt", "--quiet")
    done = moot("delete", debate := the_id(moot), "--yes")
    assert re.search(
        rf"{debate}: deleted 'Cats or dogs\?' \({debate}, \d+ turns, 1 file\)", done.stdout
    )


def test_a_person_is_asked_before_a_debate_is_canceled(
    moot: Moot, provider: Callable[..., Provider]
) -> None:
    moot("create", *NEW)
    debate = the_id(moot)
    terminal = Terminal(provider(), "cancel", debate[:6])
    terminal.wait_for("for good? [y/N]")
    terminal.wait_for_prompt()
    terminal.type("n\r")
    assert terminal.exit_code() == 2
    assert "nothing was canceled" in terminal.seen
    assert '"status":"created"' in moot("list", "--json").stdout.replace(" ", "")


# --- words that are no topic ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("-", "standard input:1: is empty"),
        ("folder", "is a directory"),
        ("README.md", "no such file; if it is meant as a topic"),
        ("k3f2", "is an existing debate; continue it with: moot resume k3f2"),
    ],
)
def test_no_debate_begins_on_a_word_that_is_no_topic(
    two: Moot, word: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    for command in ("run", "create"):
        done = two(command, word)
        assert done.exit_code in (2, 7)
        assert said in done.stderr
    assert len(two("list", "--json").stdout.splitlines()) == 2


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("", "is empty"),
        ("zzzz", "there is no room 'zzzz'"),
        ("z", "there is no room 'z'"),
        ("-", "is the name of a file"),
        ("notes.md", "is the name of a file"),
    ],
)
def test_no_room_opens_on_a_word_that_is_no_topic(moot: Moot, word: str, said: str) -> None:
    done = moot("room", word)
    assert done.exit_code in (2, 7)
    assert said in done.stderr
    assert moot("list", "--json").stdout == ""


def test_a_filter_that_matches_nothing_says_so(moot: Moot) -> None:
    assert "no debates yet" in moot("list").stdout
    moot("create", *NEW)
    for options in (("--status", "failed"), ("--query", "zebras"), ("--format", "council")):
        done = moot("list", *options)
        assert "no debate matches; see them all with: moot list" in done.stdout
    assert "did you mean duel?" in moot("list", "--format", "deul").stderr


# --- options that cannot be honoured --------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ("--format", "council", "--no-judge"),
            "--no-judge: is not possible: a council always ends with its judge",
        ),
        (
            ("--format", "room", "--judge-model", "openai:x"),
            "--judge-model: has no effect: this room has no judge",
        ),
        (("--format", "duel", "--team", "design"), "--team: a duel has no members; use the format"),
        (("--set", "max_tokns=3"), "did you mean max_tokens?"),
        (("--effort", "zzz=high"), "or a role: debater, judge"),
    ],
)
def test_an_option_that_would_be_ignored_is_refused(
    moot: Moot, options: tuple[str, ...], said: str
) -> None:
    done = moot("create", "Cats or dogs?", *options)
    assert done.exit_code in (2, 7)
    assert said in done.stderr
    assert moot("list", "--json").stdout == ""


def test_wishes_stand_in_the_header(moot: Moot) -> None:
    done = moot(
        *("run", "Cats or dogs?", "--turns", "1", "--effort", "judge=high"),
        *("--temperature", "0.5"),
    )
    header = " ".join(done.stdout.partition("id ")[0].split())
    assert "effort high" in header
    assert "temperature 0.5" in header


def test_show_says_that_private_turns_are_left_out(moot: Moot) -> None:
    moot("run", *NEW, "--quiet")
    shown = moot("show", the_id(moot)).stderr
    assert re.search(rf"\d+ private turns not shown; .*moot show {the_id(moot)} --private", shown)
    assert moot("show", the_id(moot), "--private").stderr == ""


def test_what_a_council_says_is_counted(moot: Moot) -> None:
    moot("run", "Which database?", "--format", "council", "--set", "rounds=1", "--quiet")
    assert re.search(r"council\s+[1-9]", moot("list").stdout)


async def test_who_joins_over_http_may_have_wishes(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        room = await on.create(format="room", settings={"pacing": "manual"})
        body = {"name": "Zoe", "temperature": 0.3, "reasoning_effort": "low"}
        answer = await on.client.post(f"/api/debates/{room}/participants", json=body)
        assert answer.status_code == 200, answer.text
        state = await on.service.state(room)
        joined = next(one for one in state.participants.values() if one.name == "Zoe")
        assert dict(joined.sampling.given) == {"temperature": 0.3, "reasoning_effort": "low"}
        body["temperature"] = 9.0
        answer = await on.client.post(f"/api/debates/{room}/participants", json=body)
        assert answer.status_code == 422


def test_the_scripted_server_refuses_faults_that_it_does_not_know() -> None:
    with pytest.raises(
        ValueError, match=r"there is no fault 'status_5003'; did you mean status_50"
    ):
        ScriptedServer(faults=["status_503", "status_5003"])


def test_ids_are_whole_in_a_narrow_terminal(moot: Moot, monkeypatch: pytest.MonkeyPatch) -> None:
    moot("create", *NEW)
    monkeypatch.setenv("COLUMNS", "38")
    assert the_id(moot)[:8] in moot("list").stdout
