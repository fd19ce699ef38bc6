"""Plays debates for the tests of the protocol: no model, no clock, no database.

Unlike `checker.rehearse` it records prompts as the engine does, rendered, and lets a test step in
between any two steps.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from moot.prompts import render
from moot.protocol import events as e
from moot.protocol.answers import Unreadable
from moot.protocol.formats.duel.answers import NameAnswer
from moot.protocol.hearing.case import Case, Hears, Said, Side
from moot.protocol.hearing.exam import Examination, ExamPair, Kind
from moot.protocol.limits import newly_reached
from moot.protocol.machine import Format, ask, completed
from moot.protocol.outcomes import Solution, Verdict
from moot.protocol.registry import FORMATS
from moot.protocol.roster import with_sides
from moot.protocol.settings import as_data, read_settings
from moot.protocol.state import DebateState
from moot.protocol.steps import Broken, Finish, Idle, Record, Run, Step, recorded
from moot.protocol.values import Config, Message, Participant
from moot.protocol.visibility import history
from moot.protocol.words import PASSED, Role, Stance

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
TOPIC = "Is mathematics discovered or invented?"
PREMISE = "Mathematics is discovered."

ADA = Participant(
    id="ada",
    name="Ada",
    role=Role.DEBATER,
    personality="You are Ada.",
    position="Numbers were there before us.",
    instructions="Be brief.",
    judging_criteria="(of no use to a debater)",
)
BO = Participant(
    id="bo",
    name="Bo",
    role=Role.DEBATER,
    personality="You are Bo.",
    position="We made them up.",
    instructions="Be vivid.",
)
JUDGE = Participant(
    id="judith",
    name="Judith",
    role=Role.JUDGE,
    personality="You are Judith.",
    judging_criteria="Reward evidence.",
    position="(of no use to a judge)",
    instructions="(nor this)",
)


def configured(
    name: str, participants: Iterable[Participant], topic: str = TOPIC, **settings: Any
) -> Config:
    """A configuration as the engine would freeze it."""
    form = FORMATS[name]
    read = read_settings(form.settings, settings)
    roster = with_sides(topic, form.cast(read, tuple(participants)), premise=read.premise)
    return Config(format=name, topic=topic, settings=as_data(read), participants=roster)


def duel(*, judge: bool = True, a: Stance = Stance.NONE, **settings: Any) -> Config:
    """A duel of Ada and Bo, before Judith if `judge`."""
    ada = msgspec.structs.replace(ADA, stance=a)
    return configured("duel", (ada, BO, JUDGE) if judge else (ada, BO), **settings)


def rounds(*, judge: bool = True, **settings: Any) -> Config:
    """A debate of rounds between Ada and Bo, before Judith if `judge`."""
    return configured("rounds", (ADA, BO, JUDGE) if judge else (ADA, BO), **settings)


NAMES = ("Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ivy", "Jim")


def council(members: int = 3, *, model: str = "", **settings: Any) -> Config:
    """A council of so many members before Judith."""
    seats = tuple(
        Participant(
            id=one.lower(), name=one, role=Role.MEMBER, personality=f"You are {one}.", model=model
        )
        for one in NAMES[:members]
    )
    judge = msgspec.structs.replace(JUDGE, model=model)
    return configured("council", (*seats, judge), **settings)


def poll(members: int = 3, *, model: str = "", judge: bool = False, **settings: Any) -> Config:
    """A poll of so many members, before Judith if `judge`."""
    seats = tuple(
        Participant(id=one.lower(), name=one, role=Role.MEMBER, model=model)
        for one in NAMES[:members]
    )
    chair = (msgspec.structs.replace(JUDGE, model=model),) if judge else ()
    return configured("poll", (*seats, *chair), **settings)


CASE = Case(
    topic=TOPIC,
    sides=(
        Side(id="ada", names=("Ada",), argues="that it is discovered", models=("test:ada",)),
        Side(id="bo", names=("Bo",), argues="that it is invented", models=("test:bo",)),
    ),
    said=(
        Said(side="ada", text="Numbers were there before us, whatever Bo says."),
        Said(side="bo", text="Ada has never met one."),
    ),
)
PROPOSALS = Case(
    topic=TOPIC,
    premise=PREMISE,
    sides=tuple(Side(id=one.lower(), names=(one,)) for one in ("Ada", "Bo", "Cy")),
    said=tuple(Said(side=one.lower(), text=f"{one} proposes.") for one in ("Ada", "Bo", "Cy")),
    are_proposals=True,
)


def hearing(
    judges: int = 3, *, case: Case = CASE, people: int = 0, verdict: str = "ada", **settings: Any
) -> Config:
    """A bench of so many judges, the last of whom are `people`, on a debate between Ada and Bo."""
    bench = tuple(
        Participant(
            id=f"j{number}",
            name=f"Judge {number}",
            role=Role.JUDGE,
            model="human" if number > judges - people else f"test:j{number}",
        )
        for number in range(1, judges + 1)
    )
    config = configured("hearing", bench, **settings)
    return msgspec.structs.replace(
        config, hears=Hears(debate="k3f2", at=31, case=case, verdict=verdict)
    )


EXAM = Examination(
    version="v1",
    pairs=(
        ExamPair(id="same", kind=Kind.MIRRORED, case=CASE),
        ExamPair(id="padded", kind=Kind.PADDED, case=CASE, marked="bo", why="Bo says it twice."),
    ),
)


def exam(examination: Examination = EXAM, **settings: Any) -> Config:
    """An exam of one judge."""
    judge = Participant(id="jo", name="Jo", role=Role.JUDGE, model="test:jo")
    return msgspec.structs.replace(configured("exam", (judge,), **settings), exam=examination)


class Sent(msgspec.Struct, frozen=True):
    """What the model of one step is sent."""

    step: Step
    system: str
    history: tuple[Message, ...]
    prompt: str

    @property
    def text(self) -> str:
        """Everything in it, for searching."""
        said = [message.content for message in self.history]
        return "\n".join([self.system, *said, self.prompt])


Reply = Callable[[Step], str]
Choose = Callable[[Sequence[Step]], Sequence[Step]]


class Play:
    """One debate being played, its log, and what was sent for each step."""

    def __init__(self, form: Format, config: Config) -> None:
        self.form = form
        created = e.Recorded(1, NOON, e.DebateCreated(config=config))
        self.log = [created]
        self.state = DebateState(created, form)
        self.sent: dict[str, Sent] = {}
        self.now = NOON
        self.append(e.DebateStarted())

    @property
    def verdict(self) -> Verdict:
        assert isinstance(self.state.outcome, Verdict)
        return self.state.outcome

    @property
    def solution(self) -> Solution:
        assert isinstance(self.state.outcome, Solution)
        return self.state.outcome

    def append(self, *events: e.AnyEvent, after: timedelta = SECOND) -> None:
        for event in events:
            self.now += after
            record = e.Recorded(self.state.seq + 1, self.now, event)
            self.state.apply(record)
            self.log.append(record)

    def ready(self) -> Sequence[Step]:
        """The steps that may run now; none once the debate is over."""
        while not self.state.status.is_terminal:
            self.append(*newly_reached(self.state, self.now))
            match ask(self.form, self.state, self.now):
                case Run(steps):
                    return steps
                case Record(events):
                    self.append(*events)
                case Finish(stop_reason, outcome):
                    self.append(completed(stop_reason, outcome))
                case Idle(reason):
                    raise AssertionError(reason)
                case Broken(error):
                    raise error
        return ()

    def look(self, step: Step) -> Sent:
        """What the step's model would be sent now."""
        sent = Sent(
            step=step,
            system=render(step.system),
            history=tuple(history(self.state, step)),
            prompt=render(step.prompt),
        )
        self.sent[step.key] = sent
        return sent

    def perform(self, step: Step, text: str, **fields: Any) -> None:
        """Record the turn that `text` makes of the step, as the engine would; what goes along with
        it is passed."""
        turn = self.turn(step, text, **fields)
        for one in step.along:
            data = one.answer.fallback(PASSED)
            self.append(recorded(one, content="", data=data, flags=(PASSED,), prompt="", model=""))
        self.append(turn, *step.answer.consequences(turn.data))

    def turn(self, step: Step, text: str, **fields: Any) -> e.TurnRecorded:
        read = step.answer.read(text)
        is_unreadable = isinstance(read, Unreadable)
        data = step.answer.fallback(read.for_people) if isinstance(read, Unreadable) else read
        given = {"model": "test:model", "flags": ("unreadable",) if is_unreadable else (), **fields}
        return recorded(
            step,
            content=step.answer.shown(text, data),
            data=data,
            visibility=step.answer.visibility(data) or step.visibility,
            prompt=self.look(step).prompt,
            **given,
        )

    def run(
        self, reply: Reply | None = None, choose: Choose = lambda steps: steps, *, most: int = 2000
    ) -> Play:
        """Go on to the end, or until `most` steps have been performed."""
        answer = reply or readable
        performed = 0
        while performed < most:
            ready = self.ready()
            if not ready:
                break
            for step in list(choose(ready))[: most - performed]:
                self.perform(step, answer(step))
                performed += 1
        return self

    def prompts(self) -> list[str]:
        """All prompts, in the order of the transcript."""
        return [turn.said.prompt for turn in self.state.transcript()]

    def transcript(self) -> list[tuple[Any, ...]]:
        """What people and later prompts can tell of the turns; not when or in which order."""
        return [
            (turn.place, turn.said.step_key, turn.said.prompt, turn.said.content, turn.said.data)
            for turn in self.state.transcript()
        ]


def play(config: Config, reply: Reply | None = None) -> Play:
    """A whole debate, every step as soon as it is ready."""
    return Play(FORMATS[config.format], config).run(reply)


def readable(step: Step) -> str:
    """A reply that can be read, different for every step, whatever shape the step asks for."""
    if isinstance(step.answer, NameAnswer):
        return step.answer.names[0]
    schema = step.answer.schema
    return f"<{step.key}>" if schema is None else json.dumps(_example(schema.body, step.key))


def _example(schema: Mapping[str, Any], text: str) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {key: _example(one, text) for key, one in schema["properties"].items()}
        case "integer" | "number":
            return schema.get("minimum", 7)
        case "boolean":
            return False
        case "array":
            return [_example(schema["items"], text)]
        case _:
            return f"<{text}>"
