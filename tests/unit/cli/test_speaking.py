"""Whoever watches a room is shown no text that is taken back a moment later."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.unit.protocol.rooms import ALICE, BOB, Talking

from moot.cli.room.speaking import Speaking
from moot.protocol.speech import beside_skip, tidy
from moot.protocol.words import StepKind

LONG = (
    "I would begin with the queue, because everything else hangs on it and it is small; what is "
    "built on it can wait until the first week of running it has shown what breaks."
)


def shown(text: str, heard: str = "Hello") -> list[str]:
    """What is shown after every few letters."""
    talk = Talking(ALICE, BOB).say(heard)
    speaking = Speaking(talk.ready()[0])
    return [speaking.take(text[at : at + 3], talk.state) for at in range(0, len(text), 3)]


@pytest.mark.parametrize(
    "text",
    [
        LONG,
        f"[Alice | Architect]: {LONG}",
        f"Alice: {LONG}\n\n{LONG}",
        f"{LONG}\n[Bob]: No, mine!\n\n**User:** Stop it, both.",
        f"{LONG}\nBob: And {LONG}",
        f"{LONG}\n[Bob | A title that it has just made up, and a long one]: And {LONG}",
        f"{LONG}\n\n```\nBob: in code\n```\nOn the whole: yes.",
        f"Skipping the queue would be wrong. {LONG}",
        f"{LONG}\n\nSKIP",
        f"{LONG}\n\nSKIP\n",
        f"SKIP\n\n{LONG}\n\n{LONG}",
        f"What would you skip, Bob?\n\n{LONG}\n\nSKIP",
    ],
)
def test_what_is_shown_grows_and_is_the_beginning_of_what_is_recorded(text: str) -> None:
    seen = shown(text)
    recorded = beside_skip(tidy(text, ALICE, (ALICE, BOB), StepKind.SPEAK).text)
    for before, after in pairwise(seen):
        assert after.startswith(before)
    assert recorded.startswith(seen[-1])
    assert len(seen[-1]) > len(LONG) // 2


@pytest.mark.parametrize(
    "text",
    [
        "SKIP",
        "**SKIP**",
        '"Skip."',
        "[SKIP]",
        "I have nothing to add to what Bob has said about it.\n\nSKIP",
        "SKIP\n\nI have nothing to add to what Bob has said.",
        "It is your turn, Alice.",
        f"{LONG} {LONG}",
    ],
)
def test_nothing_is_shown_of_what_counts_as_nothing_said(text: str) -> None:
    assert set(shown(text, heard=f"{LONG} {LONG}")) == {""}


def test_a_long_speech_is_not_read_again_with_every_word() -> None:
    talk = Talking(ALICE, BOB).say("Hello")
    speaking = Speaking(talk.ready()[0])
    looks = 0

    def look(state: object) -> str:
        nonlocal looks
        looks += 1
        return ""

    speaking._found = look  # type: ignore[method-assign]
    for _ in range(100_000):
        speaking.take("word ", talk.state)
    assert looks < 500
