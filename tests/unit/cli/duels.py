"""Duels that are played without a model: the test decides which open step is answered next."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

from rich.console import Console

from moot.protocol import events as e
from moot.protocol.answers import Unreadable
from moot.protocol.log import begin
from moot.protocol.machine import completed
from moot.protocol.registry import format_named
from moot.protocol.settings import as_data, read_settings
from moot.protocol.steps import Finish, Record, Run, Step
from moot.protocol.values import Config, Participant, Usage
from moot.protocol.words import Role, Stance, StepKind

START = datetime(2026, 11, 1, 12, tzinfo=UTC)
ADA = Participant(id="ada", name="Ada", role=Role.DEBATER, stance=Stance.PRO, model="test:a")
BO = Participant(id="bo", name="Bo", role=Role.DEBATER, stance=Stance.CON, model="test:b")
JUDY = Participant(id="judy", name="Judy", role=Role.JUDGE, model="test:j")

Choose = Callable[[Sequence[Step]], Step]


def text_of(step: Step) -> str:
    """What is said in a step, recognisable and long enough to be wrapped."""
    if step.kind is StepKind.SCORE:
        return json.dumps({"score": 7, "reasoning": f"because of {step.key}"})
    if step.key.endswith("/record"):
        return json.dumps({"winner": "Ada", "scores": {"Ada": 8, "Bo": 6}})
    if step.kind is StepKind.CONFIRM:
        return "Ada"
    return f"<{step.key}> " + "word " * 30


def created(**settings: Any) -> e.Recorded:
    form = format_named("duel")
    config = Config(
        format="duel",
        topic="A topic",
        settings=as_data(read_settings(form.settings, {"turns": 3, **settings})),
        participants=(ADA, BO, JUDY),
    )
    return e.Recorded(1, START, e.DebateCreated(config=config))


class Duel:
    """`items` has what a view would be given; `state` where the debate stands."""

    def __init__(
        self,
        *,
        say: Callable[[Step], str] = text_of,
        log: Sequence[e.Recorded] = (),
        think: Callable[[Step], str] = lambda _step: "",
        **settings: Any,
    ) -> None:
        self.log: list[e.Recorded] = list(log) or [created(**settings)]
        self.state = begin(self.log[0])
        for record in self.log[1:]:
            self.state.apply(record)
        self.say = say
        self.think = think
        self._form = format_named("duel")

    def append(self, event: e.AnyEvent) -> e.Recorded:
        seq = self.state.seq + 1
        record = e.Recorded(seq, START + timedelta(seconds=seq), event)
        self.state.apply(record)
        self.log.append(record)
        return record

    def settle(self) -> tuple[list[e.Recorded], tuple[Step, ...]]:
        """What follows by itself, and the steps that are open then."""
        records: list[e.Recorded] = []
        while True:
            match self._form.next(self.state, START):
                case Record(events):
                    records += [self.append(event) for event in events]
                case Run(steps):
                    return records, steps
                case Finish(stop_reason, outcome):
                    done = completed(stop_reason, outcome)
                    return [*records, self.append(done)], ()
                case _:
                    return records, ()

    def answer(self, step: Step) -> e.Recorded:
        text = self.say(step)
        data = step.answer.read(text)
        is_unreadable = isinstance(data, Unreadable)
        return self.append(
            e.TurnRecorded(
                step_key=step.key,
                participant=step.participant,
                kind=step.kind,
                stage=step.stage,
                round=step.round,
                place=step.place,
                visibility=step.visibility,
                content=text,
                data=None if isinstance(data, Unreadable) else data,
                model="test:x",
                usage=Usage(input_tokens=10, output_tokens=5),
                duration_ms=1000,
                reasoning=self.think(step),
                flags=("unreadable",) if is_unreadable else (),
            )
        )

    def play(self, choose: Choose = lambda steps: steps[0]) -> list[e.Recorded]:
        """To its end, answering one open step after the other as `choose` says."""
        records = [self.append(e.DebateStarted())]
        while True:
            settled, steps = self.settle()
            records += settled
            if not steps:
                return records
            records.append(self.answer(choose(steps)))


def plain_console(*, is_terminal: bool = False, width: int = 80) -> tuple[Console, StringIO]:
    out = StringIO()
    console = Console(
        file=out,
        width=width,
        height=1000,
        force_terminal=is_terminal,
        color_system=None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    return console, out
