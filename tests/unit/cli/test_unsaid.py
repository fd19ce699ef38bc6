"""What is typed while members take turns in auto mode goes out when the speaker has finished."""

from __future__ import annotations

import asyncio

from tests.unit.protocol.rooms import ALICE, BOB, Talking

from moot.cli.room.unsaid import Unsaid
from moot.protocol import events as e
from moot.protocol.words import Pacing


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
