"""Whoever watches a room is shown no text that is taken back a moment later.

What is typed while members take turns in auto mode goes out when the speaker has finished.
"""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
from tests.unit.protocol.rooms import ALICE, BOB, Talking

from moot.cli.room.unsaid import Speaking, Unsaid
from moot.protocol import events as e
from moot.protocol.speech import beside_skip, tidy
from moot.protocol.words import Pacing, StepKind

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


class Typing:
    """A room, somebody who types in it, and what came of it."""

    def __init__(self, pacing: Pacing = Pacing.AUTO) -> None:
        self.talk = Talking(ALICE, BOB, pacing=pacing).say("Hello")
        self.talk.ready()
        self.done: list[str] = []
        self.unsaid = Unsaid(self.talk.state, say=self._say, stop=self._stop)

    async def _say(self, text: str) -> None:
        self.done.append(text)

    async def _stop(self) -> bool:
        self.done.append("(stop)")
        return True

    async def mind(self, event: e.AnyEvent, *, is_quiet: bool = True) -> None:
        self.unsaid.mind(event, is_quiet=is_quiet)
        await asyncio.sleep(0)

    async def speak(self, *, is_quiet: bool = True) -> None:
        (step,) = self.talk.ready()
        turn = self.talk.turn(step, "Well.")
        self.talk.append(turn)
        await self.mind(turn, is_quiet=is_quiet)


async def test_it_waits_for_the_speaker_stops_the_room_and_is_said() -> None:
    here = Typing()
    assert here.unsaid.must_wait("And I?")
    here.unsaid.keep("And I?", is_quiet=False)
    here.unsaid.keep("I am here.", is_quiet=False)
    assert here.unsaid.told(80) == "sent when they finish (Ctrl-C: now): And I? I am here."
    await here.mind(e.NoticePosted(code="joined", text="Zoe joined"))
    assert here.done == []
    await here.speak(is_quiet=False)  # somebody who was called with them still speaks
    assert here.done == []
    await here.speak()
    assert here.done == ["(stop)"]
    stopped = (e.StopRequested(), e.DebateStopped())
    here.talk.append(*stopped)
    await here.mind(stopped[-1])
    assert here.done == ["(stop)", "And I?\nI am here."]
    assert here.unsaid.text == ""


async def test_it_is_said_when_the_room_comes_to_rest_by_itself() -> None:
    here = Typing()
    here.unsaid.keep("And I?", is_quiet=False)
    here.talk.speak("SKIP", "SKIP")
    await here.mind(e.DebateSuspended())
    assert here.done == ["And I?"]


async def test_nobody_is_waited_for_in_the_pause_between_two() -> None:
    here = Typing()
    here.unsaid.keep("And I?", is_quiet=True)
    await asyncio.sleep(0)
    assert here.done == ["(stop)"]


async def test_an_empty_line_while_somebody_speaks_asks_for_nothing() -> None:
    here = Typing()
    assert here.unsaid.must_wait("")
    here.unsaid.keep("", is_quiet=True)
    await here.speak()
    assert here.done == []


def test_only_messages_wait_and_only_while_members_take_turns() -> None:
    here = Typing()
    assert not here.unsaid.must_wait("/who")
    here.talk.speak("SKIP", "SKIP")
    assert not here.unsaid.must_wait("And I?")
    assert not Typing(Pacing.MANUAL).unsaid.must_wait("And I?")
