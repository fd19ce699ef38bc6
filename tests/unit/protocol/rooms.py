"""Plays rooms for the tests of the protocol: people step in whenever nobody has to speak."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import msgspec
from tests.unit.protocol.playing import Play, configured

from moot.protocol import events as e
from moot.protocol.formats.room.floor import Floor, floor_of
from moot.protocol.formats.room.rules import Room
from moot.protocol.limits import newly_reached
from moot.protocol.machine import ask, completed
from moot.protocol.steps import Broken, Finish, Idle, Record, Run, Step
from moot.protocol.values import Config, Participant
from moot.protocol.words import USER, Pacing, Role, Status, StepKind

ALICE = Participant(id="alice", name="Alice", role=Role.MEMBER, title="Architect")
BOB = Participant(id="bob", name="Bob", role=Role.MEMBER)
CHARLIE = Participant(id="charlie", name="Charlie", role=Role.MEMBER)


def room(*members: Participant, **settings: Any) -> Config:
    return configured("room", members or (ALICE, BOB, CHARLIE), "Tea or coffee?", **settings)


class Talking(Play):
    """A room. `ready` suspends it, as the engine does, when nobody has to speak."""

    def __init__(self, *members: Participant, **settings: Any) -> None:
        super().__init__(Room(), room(*members, **settings))

    @property
    def floor(self) -> Floor:
        return floor_of(self.state)

    def ready(self) -> Sequence[Step]:
        while self.state.status is Status.RUNNING:
            self.append(*newly_reached(self.state, self.now), after=timedelta())
            match ask(self.form, self.state, self.now):
                case Run(steps):
                    return steps
                case Record(events):
                    self.append(*events, after=timedelta())
                case Finish(stop_reason, outcome):
                    self.append(completed(stop_reason, outcome))
                case Idle():
                    self.append(e.DebateSuspended(), after=timedelta())
                case Broken(error):
                    raise error
        return ()

    def say(self, text: str, participant: str = USER) -> Talking:
        self.ready()
        event = e.MessageSaid(participant=participant, content=text)
        assert self.form.refusal(self.state, event) is None
        self.append(event)
        return self

    def who(self) -> list[str]:
        """Who has to speak now."""
        return [step.participant for step in self.ready()]

    def turn(self, step: Step, text: str, **fields: Any) -> e.TurnRecorded:
        flags = step.answer.flags(step.answer.read(text))  # type: ignore[arg-type]
        given = {"flags": flags, **fields}
        return super().turn(step, text, **given)

    def speak(self, *texts: str) -> list[str]:
        """Let as many speak one after the other as there are texts; who they were."""
        heard: list[str] = []
        for text in texts:
            step = self.ready()[0]
            self.perform(step, text)
            heard.append(step.participant)
        self.ready()
        return heard

    def fail(self, step: Step, code: str = "model_unavailable", **fields: Any) -> None:
        self.append(
            e.StepFailed(failed_key=step.key, code=code, error="it broke", attempts=1, **fields)
        )
        self.ready()

    def pace(self, pacing: Pacing) -> None:
        self.append(e.PacingChanged(pacing=pacing))
        self.ready()

    def told(self, code: str = "") -> list[str]:
        """The texts of the notices, or of those with that code."""
        events = [record.event for record in self.state.notices]
        posted = [one for one in events if isinstance(one, e.NoticePosted)]
        return [one.text for one in posted if code in ("", one.code)]


def with_window(member: Participant, window: int) -> Participant:
    return msgspec.structs.replace(member, window=window)


def every_prompt() -> list[Talking]:
    """A room in which every template is used."""
    small = with_window(ALICE, 1000)
    talk = Talking(small, BOB, compact=True, max_tokens=16)
    talk.say("@Alice, hello")
    for number in range(12):
        step = talk.ready()[0]
        is_summary = step.kind is StepKind.SUMMARIZE
        talk.perform(step, "All in all: fine." if is_summary else f"{'word ' * 60}{number}")
    return [talk]
