"""What can be typed in a room: commands, names, completion by Tab."""

from __future__ import annotations

import pytest
from tests.unit.protocol.rooms import Talking

from moot.cli.room.commands import COMMANDS, completions, find_command, member_of, turns_of
from moot.errors import InvalidInput


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
        with pytest.raises(InvalidInput, match="/help lists them"):
            find_command(word)


def test_a_member_is_known_as_in_a_mention() -> None:
    state = Talking().state
    assert member_of(state, "char") == "charlie"
    assert member_of(state, "@Bob") == "bob"
    with pytest.raises(InvalidInput, match="here are: Alice, Bob, Charlie"):
        member_of(state, "dora")


def test_turns_are_known_by_their_numbers() -> None:
    assert turns_of("#12, 14") == [12, 14]
    for text in ("", "twelve", "1" * 20):
        with pytest.raises(InvalidInput):
            turns_of(text)
