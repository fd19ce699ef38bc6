"""Formats as data: stages, transitions, and the one routine that walks them.

A stage says which steps are open and, once it is through, which event it emits. The table of
transitions says where that event leads. Diagram, docs and the running code all read these tables,
and `checker` proves things about them before anything runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from enum import StrEnum
from typing import Protocol

import msgspec

from moot.errors import IllegalEvent
from moot.protocol import events as e
from moot.protocol.events import AnyEvent, StageEntered
from moot.protocol.outcomes import Outcome
from moot.protocol.settings import Settings
from moot.protocol.state import DebateState
from moot.protocol.steps import Finish, Idle, Next, Record, Run, Step
from moot.protocol.values import Config, Participant
from moot.protocol.words import StopReason

START = "START"
END = "END"
"""Emitted for every stage that has a row for it when somebody asks for the debate to end."""

RETRY, FALLBACK, FAILED = "RETRY", "FALLBACK", "FAILED"
"""What can become of a step that failed; see `recovering`."""

UPCOMING = 4

GUARDED = (
    e.MessageSaid,
    e.PacingChanged,
    e.ParticipantJoined,
    e.ParticipantLeft,
    e.ParticipantMuted,
    e.ParticipantUnmuted,
    e.StepRetried,
)

REFUSALS: dict[type[e.Event], str] = {
    e.MessageSaid: "nobody can speak without being asked",
    e.PacingChanged: "there is no pace to be set",
    e.ParticipantJoined: "nobody can join",
    e.ParticipantLeft: "nobody can leave",
    e.ParticipantMuted: "nobody can be muted",
    e.ParticipantUnmuted: "nobody can be muted",
    e.StepRetried: "no step can be tried again alone",
}

Guard = Callable[[DebateState], bool]


class Rounds(StrEnum):
    """What a transition does to the round."""

    NONE = "none"
    """Before the first: rounds are about to be counted."""
    FIRST = "first"
    SAME = "same"
    NEXT = "next"


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """A named section of a format.

    `steps` yields every step whose inputs are in the log, also those of earlier stages that are
    still open; `emits` is the event that leads on, or None while there is something left to do.
    """

    name: str
    about: str
    steps: Callable[[DebateState], Iterable[Step]]
    emits: Callable[[DebateState], str | None]


class Transition(msgspec.Struct, frozen=True, kw_only=True):
    """`source` None is the beginning, `target` None the end. The first row that fits is taken."""

    source: str | None
    event: str
    target: str | None
    guard: Guard | None = None
    rounds: Rounds = Rounds.FIRST

    def fits(self, source: str | None, event: str, state: DebateState) -> bool:
        return (
            self.source == source
            and self.event == event
            and (self.guard is None or self.guard(state))
        )


def is_guarded(event: AnyEvent) -> bool:
    """Whether a format must allow it: what only some formats know what to do with."""
    return isinstance(event, GUARDED)


class Format(Protocol):
    """A named set of rules. Pure: same state, same time, same answer, on any machine.

    Formats inherit from this class and get what most of them have in common.
    """

    name: str
    about: str
    when_to_use: str
    settings: type[Settings]
    stages: tuple[Stage, ...]
    transitions: tuple[Transition, ...]
    is_open_ended: bool = False
    """Whether people decide when it is over. Then stopping aborts what is in flight, an empty
    message goes on, and a message goes on with what was stopped."""
    default_roster: tuple[Participant, ...]
    """Who takes part if nobody is named; empty if personas are to be drawn instead."""
    gives_verdict: bool = True
    """Whether somebody is to win. If not, nobody misses a verdict."""

    def cast(
        self, settings: Settings, participants: tuple[Participant, ...]
    ) -> tuple[Participant, ...]:
        """The roster, what was left out filled in. Raises InvalidInput if it can't be played."""

    def most_calls(self, config: Config) -> int:
        """How many calls a run makes at the most when every reply is readable."""

    def next(self, state: DebateState, now: datetime) -> Next:
        """What may happen now."""

    def upcoming(self, state: DebateState, now: datetime) -> tuple[str, ...]:
        """Who speaks next, as far as that is known: at most UPCOMING participants, in order."""
        decision = ask(self, state, now)
        steps = decision.steps if isinstance(decision, Run) else ()
        in_order = sorted(steps, key=lambda step: step.place)
        return tuple(dict.fromkeys(step.participant for step in in_order))[:UPCOMING]

    def refusal(self, state: DebateState, event: AnyEvent) -> str | None:
        """Why a person may not do that now; None if nothing speaks against it."""
        del state
        if not is_guarded(event):
            return None
        what = REFUSALS.get(type(event), "that is not possible")
        return f"{what} in a debate of the format {self.name}"


def ask(form: Format, state: DebateState, now: datetime) -> Next:
    """What may happen now: the format's own answer, held to the limits of the debate.

    The only way to `Format.next`, so that no format can spend past a limit by forgetting it.
    """
    return form.next(state, now)


def completed(stop_reason: StopReason, outcome: Outcome | None) -> e.DebateCompleted:
    """The event that a Finish becomes."""
    data = None if outcome is None else msgspec.to_builtins(outcome)
    return e.DebateCompleted(stop_reason=stop_reason, outcome=data)


def walk(
    form: Format,
    state: DebateState,
    *,
    stop_reason: Callable[[DebateState], StopReason],
    outcome: Callable[[DebateState], Outcome | None],
) -> Next:
    """One move over the tables of `form`: enter a stage, run what is open, wait, or finish."""
    event = _emitted(form, state)
    if event is None:
        steps = tuple(_stage(form, state).steps(state))
        return Run(steps) if steps else Idle("no step is open")
    row = _row(form, state, event)
    if row.target is None:
        return Finish(stop_reason(state), outcome(state))
    return Record((StageEntered(stage=row.target, round=_round(row, state), by=event),))


def _stage(form: Format, state: DebateState) -> Stage:
    return next(stage for stage in form.stages if stage.name == state.stage)


def _emitted(form: Format, state: DebateState) -> str | None:
    if state.stage is None:
        return START
    if state.ending and any(row.fits(state.stage, END, state) for row in form.transitions):
        return END
    return _stage(form, state).emits(state)


def row_for(form: Format, state: DebateState, event: str) -> Transition | None:
    """Where `event` leads from here, if the table says so."""
    return next((row for row in form.transitions if row.fits(state.stage, event, state)), None)


def _row(form: Format, state: DebateState, event: str) -> Transition:
    row = row_for(form, state, event)
    if row is not None:
        return row
    message = f"{form.name}: {event} leads nowhere from {state.stage}"
    raise IllegalEvent(message)


def _round(row: Transition, state: DebateState) -> int:
    same = state.round
    rounds = {Rounds.NONE: 0, Rounds.FIRST: 1, Rounds.SAME: same, Rounds.NEXT: same + 1}
    return rounds[row.rounds]


def mermaid(form: Format) -> str:
    """The tables as a Mermaid state diagram."""
    lines = ["stateDiagram-v2"]
    for row in form.transitions:
        guard = f" [{row.guard.__name__.strip('_').replace('_', ' ')}]" if row.guard else ""
        lines.append(f"    {row.source or '[*]'} --> {row.target or '[*]'}: {row.event}{guard}")
    return "\n".join(lines)
