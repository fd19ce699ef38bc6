"""`moot room` as a person uses it: at a terminal, and with a script of lines."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.acceptance.terminals import Moot, Provider, Terminal, environment, the_id

ROOM = ("room", "--model", "openai:test", "--set", "response_delay=1")


@pytest.fixture(autouse=True)
def _no_answers_from_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROMPT_TOOLKIT_NO_CPR", "1")


def scripted(server: Provider, lines: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "moot", *arguments],
        input=lines,
        env=environment(server),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_room_at_a_terminal(home: Path, provider: Callable[..., Provider], moot: Moot) -> None:
    del home
    server = provider()
    terminal = Terminal(server, *ROOM, "--with", "architect,security,ada", "--manual", "Tea?")
    terminal.wait_for("Say something, or type /help.")
    terminal.type("@Sadiq what about you?\r")
    terminal.wait_for("choose answers with /pick")
    terminal.type("Hello?\r")
    terminal.wait_for("! answers are waiting")
    terminal.type("/pick sadiq\r")
    terminal.type("/who\r")
    terminal.wait_for("Ada | Architect · openai:test")
    terminal.type("/quit\r")
    terminal.wait_for("come back with: moot room")
    assert terminal.exit_code() == 0
    debate = the_id(moot)
    shown = moot("show", debate).stdout
    assert "@Sadiq what about you?" in shown
    assert shown.count("· excluded") == 1
    assert "verdict" not in shown.lower()

    # ... and back again.
    terminal = Terminal(server, "room", debate[:8])
    terminal.wait_for("what about you?")
    terminal.wait_for("Say something, or type /help.")
    terminal.type("/quit\r")
    assert terminal.exit_code() == 0


def test_ctrl_c_halts_who_speaks_and_the_room_stays_open(
    home: Path, provider: Callable[..., Provider]
) -> None:
    del home
    slow = provider("--word-delay", "0.5", "--words", "200")
    terminal = Terminal(slow, *ROOM, "Tea?")
    terminal.wait_for("Say something, or type /help.")
    terminal.type("Hello\r")
    terminal.wait_for("Ada | Architect\n")
    terminal.type("\x03")
    terminal.wait_for("stopped; press Enter to continue")
    terminal.type("/who\r")
    terminal.wait_for("Sol | Skeptic · openai:test")
    terminal.type("/quit\r")
    terminal.wait_for("come back with: moot room")
    assert terminal.exit_code() == 0


def test_what_is_typed_while_somebody_speaks_goes_out_when_they_have_finished(
    home: Path, provider: Callable[..., Provider], moot: Moot
) -> None:
    del home
    slow = provider("--word-delay", "0.05", "--words", "60")
    terminal = Terminal(slow, *ROOM, "Tea?")
    terminal.wait_for("Say something, or type /help.")
    terminal.type("Hello\r")
    terminal.wait_for("Ada | Architect\n")
    terminal.type("And what about me?\r")
    terminal.wait_for("Auto mode stopped")
    terminal.wait_for("Auto mode started")
    terminal.type("/quit\r")
    terminal.wait_for("come back with: moot room")
    assert terminal.exit_code() == 0
    shown = moot("show", the_id(moot)).stdout
    order = [shown.index(words) for words in ("Hello", "Ada | Architect  #", "what about me?")]
    assert order == sorted(order)


def test_a_script_of_lines(home: Path, provider: Callable[..., Provider], tmp_path: Path) -> None:
    del home
    server = provider()
    saved = tmp_path / "talk.html"
    lines = [
        "Hello, everybody",
        "/pick 1",
        "/pick all",
        "/add Zoe | Zoologist: You like animals.",
        "/mute sol",
        "/leave mira",
        "@zoe, and you?",
        "/pick zoe",
        "/again zoe",
        "/pick none",
        "/exclude 5",
        "/bogus",
        "/mute nobody",
        f"/save {saved}",
        "/help",
    ]
    out = scripted(server, "\n".join(lines) + "\n", *ROOM, "--manual")
    assert "! include: that answer is no longer pending" in out
    assert re.search(r"\nincluded: #\d+ \[Zoe \| Zoologist\]; excluded: #\d+ \[Ada", out)
    assert "[Zoe | Zoologist] joined the conversation" in out
    assert "[Mira | Builder] left the conversation" in out
    assert "! there is no command /bogus" in out
    assert "! there is no nobody here; in this room: Ada, Sol, Zoe" in out
    assert len(re.findall(r"Zoe \| Zoologist  #\d+ · pending", out)) == 2
    assert len(re.findall(r"Sol \| Skeptic  #\d+ · pending", out)) == 1
    assert "\x1b" not in out
    assert "Zoologist" in saved.read_text()


def test_end_closes_the_room_before_it_is_left(
    home: Path, provider: Callable[..., Provider], moot: Moot
) -> None:
    del home
    server = provider()
    lines = "Hello\n/pick all\n/save talk.exe\n/end\n"
    out = scripted(server, lines, *ROOM, "--with", "architect,security,ada", "--manual")
    assert "end its name with .md" in " ".join(out.split())
    assert "the room is closed; see it with: moot show" in out
    summary = json.loads(moot("list", "--json", "--limit", "1").stdout)
    assert (summary["status"], summary["stop_reason"]) == ("completed", "ended")

    terminal = Terminal(server, *ROOM, "--with", "architect,ada", "Tea?")
    terminal.wait_for("ada: Ada is already here, and takes part once")
    terminal.wait_for("Say something, or type /help.")
    terminal.type("/end\r")
    terminal.wait_for("the room is closed")
    assert terminal.exit_code() == 0


def test_auto_in_a_script_runs_to_its_limit(home: Path, provider: Callable[..., Provider]) -> None:
    del home
    out = scripted(provider(), "Hello\n", *ROOM, "--auto", "--set", "max_messages=2", "Tea?")
    assert "Conversation paused: the limit of 2 messages is reached" in out
    assert len(re.findall(r"^  #\d+$", out, re.MULTILINE)) == 2


def test_models_in_a_room_are_wished_for_as_in_a_debate(
    home: Path, provider: Callable[..., Provider], moot: Moot
) -> None:
    del home
    server = provider()
    wishes = ("--effort", "low", "--effort", "ada=high", "--temperature", "member=0.5")
    out = scripted(server, "/quit\n", *ROOM, "--manual", *wishes, "Tea?")
    ada, sol = re.findall(r"^MEMBER +(?:Ada|Sol) .*\S", out, re.MULTILINE)
    assert ada.endswith("temperature 0.5, effort high")
    assert sol.endswith("temperature 0.5, effort low")
    refused = moot("room", the_id(moot), "--effort", "low")
    assert refused.exit_code == 2
    assert "keeps its members and settings" in refused.stderr
    assert moot("room", "--effort", "zzz=low", "Tea?").exit_code == 7


def test_what_is_no_room_is_refused(moot: Moot) -> None:
    assert moot("room", "k9k9k9k9").exit_code == 7
    assert moot("room", "--with", ",").exit_code == 2
    assert moot("room", "--with", "no such persona at all").exit_code == 7
    assert moot("room", "--team", "design", "--with", "ada").exit_code == 2
    moot("create", "remote-work")
    refused = moot("room", the_id(moot))
    assert refused.exit_code == 2
    assert "is not a room" in refused.stderr
