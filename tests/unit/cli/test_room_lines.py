"""What can be typed in a room: commands, names, completion by Tab."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console
from tests.unit.protocol.rooms import BOB, Talking
from tests.unit.protocol.test_room_held import SLOW, limited

from moot.cli.room.commands import (
    COMMANDS,
    completions,
    find_command,
    member_of,
    setting_of,
    settled,
    turns_of,
)
from moot.cli.view.room import Screen, advice, held_back, roster, why_paused
from moot.errors import InvalidInput
from moot.protocol.events import NoticePosted


def completed(text: str) -> list[str]:
    state = Talking().state
    return [text[: len(text) - length] + word for word, length in completions(state, text)]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("/mu", ["/mute "]),
        ("/m", ["/manual ", "/mute "]),
        ("@", ["@Alice ", "@Bob ", "@Charlie "]),
        ("what about @cha", ["what about @Charlie "]),
        ("/mute b", ["/mute Bob"]),
        ("/pick b", []),
        ("hello", []),
        ("", []),
    ],
)
def test_tab_completes_commands_and_names(typed: str, offered: list[str]) -> None:
    assert completed(typed) == offered


def test_a_command_is_known_by_its_beginning() -> None:
    assert find_command("mu") is COMMANDS["mute"]
    assert find_command("pick") is COMMANDS["pick"]
    for word in ("", "m", "nonsense"):
        with pytest.raises(InvalidInput, match="see /help"):
            find_command(word)


def test_a_member_is_known_as_in_a_mention() -> None:
    state = Talking().state
    assert member_of(state, "char") == "charlie"
    assert member_of(state, "@Bob") == "bob"
    with pytest.raises(InvalidInput, match="in this room: Alice, Bob, Charlie"):
        member_of(state, "dora")


def test_turns_are_known_by_their_numbers() -> None:
    assert turns_of("#12, 14") == [12, 14]
    for text in ("", "twelve", "1" * 20):
        with pytest.raises(InvalidInput):
            turns_of(text)


def test_a_setting_is_known_by_a_part_of_its_name() -> None:
    assert setting_of("delay") == "response_delay"
    assert setting_of("Max-Wait") == "max_wait"
    for word in ("", "max", "pacing"):
        with pytest.raises(InvalidInput, match="compact, max_messages, max_wait, response_delay"):
            setting_of(word)


class Pieces(StringIO):
    """A terminal that remembers what it was sent at once."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[str] = []

    def write(self, text: str) -> int:
        self.sent.append(text)
        return super().write(text)


def test_a_speech_is_written_in_whole_lines_and_nothing_of_it_is_lost() -> None:
    terminal = Pieces()
    screen = Screen(Console(file=terminal, width=80), Talking().state)
    words = [f"word{n}" for n in range(100)]
    screen.begin("alice")
    for word in words:
        screen.write(f"{word} ")
        assert all(piece.endswith("\n") for piece in terminal.sent if piece)
    screen.end()
    lines = terminal.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert " ".join(lines[1:]).split() == words


def test_who_has_skipped_is_counted_in_the_roster() -> None:
    talk = Talking().say("Hello")
    talk.speak("SKIP", "b")
    assert roster(talk.state)[:2] == ["Alice | Architect · skipped 1 time", "Bob"]


def test_who_is_held_back_and_until_when_is_told_while_they_are_waited_for() -> None:
    talk = limited(SLOW, BOB)
    assert held_back(talk.state, talk.now) == ""
    talk.speak("Yes.")
    limit = talk.floor.limits.longest
    assert limit is not None
    until = f"{limit.until.astimezone():%H:%M:%S}"
    told = f"waiting for [Alice | Architect], rate limited until {until}"
    assert held_back(talk.state, talk.now) == told
    assert held_back(talk.state, limit.until) == ""


def test_a_rate_limit_is_told_once_with_what_to_do_and_until_when() -> None:
    talk = Talking(SLOW, BOB).say("Hello")
    talk.fail(talk.ready()[0], "rate_limited", retry_in_s=20)
    (notice,) = [record.event for record in talk.state.notices]
    limit = talk.floor.limits.longest
    assert limit is not None
    assert isinstance(notice, NoticePosted)
    until = f"{limit.until.astimezone():%H:%M:%S}"
    told = f" (at {until}): use /retry then, or an empty line to continue"
    assert advice(talk.state, notice) == told
    assert why_paused(talk.state, talk.now) == f"rate limited until {until}"
    assert why_paused(talk.state, limit.until) == "Rate limited"


def test_what_was_picked_is_told_and_what_was_not() -> None:
    labels = {12: "Alice | Architect", 13: "Bob"}
    assert settled(labels, [13]) == "included: #13 [Bob]; excluded: #12 [Alice | Architect]"
    assert settled(labels, [12, 13]) == "included: #12 [Alice | Architect], #13 [Bob]"
    assert settled({13: "Bob"}, []) == "included: none; excluded: #13 [Bob]"
