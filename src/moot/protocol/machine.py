"""Formats as data: stages, transitions, and the one routine that walks them.

A stage says which steps are open and, once it is through, which event it emits. The table of
transitions says where that event leads. Diagram, docs and the running code all read these tables,
and `checker` proves things about them before anything runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Protocol

import msgspec

from moot.errors import ENDS_PROCESS, IllegalEvent
from moot.protocol import events as e
from moot.protocol.documents import Write
from moot.protocol.events import AnyEvent, StageEntered
from moot.protocol.hearing.case import Case
from moot.protocol.outcomes import Certificate, Outcome, certificate_in
from moot.protocol.settings import Settings
from moot.protocol.state import DebateState, Fold, Turn
from moot.protocol.steps import (
    Broken,
    Finish,
    Idle,
    Next,
    Record,
    Run,
    Step,
    fault_in,
)
from moot.protocol.values import Config, Participant
from moot.protocol.vocabulary import FormatWord
from moot.protocol.words import Role, StepKind, StopReason

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
    e.SettingsChanged: "no setting can be changed",
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
    """There is no round yet: the first is still to come."""
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
    closes: bool = False
    """Whether it brings the debate to its end: then all its steps are owed, whatever the limits."""
    needs: Role | None = None
    """The role without which no debate gets here: one that lacks it need not show the stage."""


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
    """Whether only some formats know what to do with the event, so that a format must allow it."""
    return isinstance(event, GUARDED)


class Format(Protocol):
    """A named set of rules. Pure: same state, same time, same answer, on any machine.

    Formats inherit from this class and get what most of them have in common. About limits they
    say only what is still owed when one is reached: which stage closes (`Stage.closes`), which
    steps answer somebody (`Step.is_owed`), and whether such an answer is still to come (`owes`).
    """

    name: str
    about: str
    when_to_use: str
    words: FormatWord | None = None
    """What the page says of the format where somebody chooses one; if None, only its name."""
    settings: type[Settings]
    stages: tuple[Stage, ...]
    transitions: tuple[Transition, ...]
    is_open_ended: bool = False
    """Whether people decide when it is over. If so, stopping aborts what is in flight, an empty
    message means to go on, and any message resumes a debate that was stopped."""
    is_pair: bool = False
    """Whether two debaters stand against each other, the first for it and the second against."""
    is_scored: bool = False
    """Whether the judge scores every statement as soon as it is made."""
    default_roster: tuple[Participant, ...]
    """Who takes part if nobody is named; empty if personas are to be drawn instead."""
    unnamed: frozenset[StepKind] = frozenset()
    """The kinds of turns that those who take part know by labels only, models and people alike.
    Views hide them from people while they take part; they read them in what they are asked."""
    gives_verdict: bool = True
    """Whether somebody is to win. If not, a debate without a verdict lacks nothing."""
    answers_itself: bool = False
    """Whether it comes to an answer although nobody judges or leads."""
    view_type: type[msgspec.Struct] | None = None
    """What `view` returns, for a format that has something of its own to show."""
    documents: Mapping[str, Write] = MappingProxyType({})
    """What can be written of a debate besides its transcript, by the name of the export."""
    changeable: frozenset[str] = frozenset()
    """The settings that people may change while it goes on."""
    is_offered: bool = True
    """Whether it can be chosen for a new debate. A hearing cannot: it is about an existing one."""
    when_to_ask: str = ""
    """How to ask for a debate of this format, if it is not offered."""
    ends_by: StopReason = StopReason.DONE
    """Why a debate is over if neither `reached` nor a limit gives a reason."""

    # --- before a debate ---

    def cast(
        self, settings: Settings, participants: tuple[Participant, ...]
    ) -> tuple[Participant, ...]:
        """The roster, with what was left out filled in. Raises InvalidInput if it does not fit."""

    def opening(self, config: Config) -> tuple[e.NoticePosted, ...]:
        """What people are told when the debate is created."""
        del config
        return ()

    def most_calls(self, config: Config) -> int:
        """How many calls a run makes at the most when every reply is readable."""

    def longest_chain(self, config: Config) -> int:
        """How many of those calls must follow one another at the most."""
        return self.most_calls(config)

    def reads(self, config: Config) -> int | None:
        """How many characters each call reads, known from the beginning because nobody reads what
        others say; None if they do."""
        del config
        return None

    def cautions(self, config: Config) -> tuple[str, ...]:
        """What somebody should know of this roster before they rely on what comes of it."""
        del config
        return ()

    def check(self, config: Config) -> None:
        """Raises InvalidInput if no debate can be held with all of this together."""
        del config

    def exemplified(self, config: Config) -> Config:
        """The configuration to try the format with, if it needs more than settings and a roster."""
        return config

    # --- during a debate ---

    def fold(self, config: Config, settings: Settings) -> Fold | None:
        """What the format keeps beside the state of one debate: its order of speakers, its floor.

        Made once per debate, and told of every event after the state has taken it in.
        """
        del config, settings
        return None

    def next(self, state: DebateState, now: datetime) -> Next:
        """What may happen now. Only `ask` calls it."""
        del now  # the course of most formats does not depend on the clock
        return walk(self, state)

    def owes(self, state: DebateState) -> bool:
        """Whether somebody may still answer, in this stage or the next, though a limit is reached.

        If nobody may, END takes the place of every event that does not lead to the end anyway.
        """
        del state
        return False

    def reached(self, state: DebateState) -> StopReason | None:
        """Why the debate is over by the rules of the format alone; None if it is not."""
        del state
        return None

    def outcome(self, state: DebateState) -> Outcome | None:
        """What the debate ends with."""
        del state
        return None

    def without_names(self, turn: Turn) -> str:
        """What an author who takes part is shown of their own turn, if its kind is `unnamed`; "" if
        it cannot be told without names."""
        return turn.said.content

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

    # --- for those who read it ---

    def can_be_heard(self, state: DebateState) -> bool:
        """Whether `case` would return a case, told without making it."""
        del state
        return False

    def case(self, state: DebateState) -> Case | None:
        """What a bench can be asked about; None if there is nothing that it could choose between,
        or nothing has been said yet."""
        del state
        return None

    def certificate(self, state: DebateState) -> Certificate | None:
        """What the bench that was asked in this very debate came to, if one was."""
        return certificate_in(state.outcome)

    def view(self, state: DebateState) -> msgspec.Struct | None:
        """What a debate of this format has to show besides what all have."""
        del state
        return None


def ask(rules: Format, state: DebateState, now: datetime) -> Next | Broken:
    """What may happen now: the format's own answer, held to the limits of the debate.

    The only way to `Format.next`, so that no format can spend past a limit by forgetting it: once
    one is reached, only steps that are owed begin. If no step is owed, the debate goes on to the
    stage that closes it, or it is over. A format may be anybody's code, so its mistakes are values:
    whoever asks can say why the debate ends, and nobody who only looks at it meets an error here.
    That includes cancellation: a format awaits nothing, so nobody can have called it off.
    """
    if state.broken is not None:
        return Broken(state.broken)
    try:
        return _checked(_within_limits(rules, state, now), rules, state)
    except ENDS_PROCESS:
        raise
    except BaseException as error:  # noqa: BLE001 - see above
        return Broken(error)


def _checked(decision: Next, rules: Format, state: DebateState) -> Next:
    """The decision, if it can be carried out. Raises IllegalEvent with what is wrong."""
    match decision:
        case Run(steps):
            for step in steps:
                fault = fault_in(step, state)
                if fault is None and step.stage != state.stage:
                    fault = _fault_in_stage(rules, step)
                if fault is not None:
                    raise IllegalEvent(fault)
            if len(steps) > 1 and len({step.key for step in steps}) < len(steps):
                raise IllegalEvent("two of the steps that it asks for have the same key")
        case Finish(_, outcome) if not isinstance(outcome, Outcome | None):
            message = f"{outcome!r:.100} is nothing that a debate can end with"
            raise IllegalEvent(message)
        case Record() | Finish() | Idle():
            pass
        case _:
            message = f"it said {decision!r:.100} when it was asked what is next"
            raise IllegalEvent(message)
    return decision


def _fault_in_stage(rules: Format, step: Step) -> str | None:
    if any(stage.name == step.stage for stage in rules.stages):
        return None
    return f"the step {step.key} is in a stage called {step.stage!r}, and there is none"


def _within_limits(rules: Format, state: DebateState, now: datetime) -> Next:
    decision = rules.next(state, now)
    if not state.limits:
        return decision
    match decision:
        case Run(steps):
            owed = tuple(step for step in steps if is_owed(rules, step))
            return Run(owed) if owed else _closed(rules, state)
        case Idle():
            return _closed(rules, state)
        case Record() | Finish():
            return decision


def is_owed(rules: Format, step: Step) -> bool:
    """Whether the step may begin although a limit is reached."""
    return step.is_owed or any(stage.closes for stage in rules.stages if stage.name == step.stage)


def _closed(rules: Format, state: DebateState) -> Next:
    """What follows if nothing may begin any more."""
    row = row_for(rules, state, END)
    if row is None or row.target in (None, state.stage):
        return Finish(stop_reason(rules, state), rules.outcome(state))
    return _entered(row, state)


def stop_reason(rules: Format, state: DebateState) -> StopReason:
    """Why a debate that is over now has ended."""
    if state.ending:
        return StopReason.ENDED
    return rules.reached(state) or next(iter(state.limits), rules.ends_by)


def completed(stop_reason: StopReason, outcome: Outcome | None) -> e.DebateCompleted:
    """The event that a Finish becomes."""
    data = None if outcome is None else msgspec.to_builtins(outcome)
    return e.DebateCompleted(stop_reason=stop_reason, outcome=data)


def walk(rules: Format, state: DebateState) -> Next:
    """One move over the tables of a format: enter a stage, run what is open, wait, or finish."""
    event = _emitted(rules, state)
    if event is None:
        steps = tuple(_stage(rules, state).steps(state))
        return Run(steps) if steps else Idle("no step is open")
    row = row_for(rules, state, event)
    if row is None:
        message = f"{rules.name} has no transition for {event} in the stage {state.stage}"
        raise IllegalEvent(message)
    if row.target is None:
        return Finish(stop_reason(rules, state), rules.outcome(state))
    return _entered(row, state)


def _emitted(rules: Format, state: DebateState) -> str | None:
    if state.stage is None:
        return START
    if state.ending and row_for(rules, state, END) is not None:
        return END
    event = _stage(rules, state).emits(state)
    if event is None or not state.limits or _leads_to_the_end(rules, state, event):
        return event
    is_over = not rules.owes(state) and row_for(rules, state, END) is not None
    return END if is_over else event


def _leads_to_the_end(rules: Format, state: DebateState, event: str) -> bool:
    row = row_for(rules, state, event)
    if row is None or row.target is None:
        return True
    return any(stage.closes for stage in rules.stages if stage.name == row.target)


def _stage(rules: Format, state: DebateState) -> Stage:
    for stage in rules.stages:
        if stage.name == state.stage:
            return stage
    message = f"{rules.name} has no stage called {state.stage}"
    raise IllegalEvent(message)


def row_for(rules: Format, state: DebateState, event: str) -> Transition | None:
    """Where `event` leads from here, if the table says so."""
    for row in rules.transitions:
        if row.fits(state.stage, event, state):
            return row
    return None


def _entered(row: Transition, state: DebateState) -> Record:
    same = state.round
    rounds = {Rounds.NONE: 0, Rounds.FIRST: 1, Rounds.SAME: same, Rounds.NEXT: same + 1}
    stage = row.target or ""
    return Record((StageEntered(stage=stage, round=rounds[row.rounds], by=row.event),))


def mermaid(rules: Format) -> str:
    """The tables as a Mermaid state diagram."""
    lines = ["stateDiagram-v2"]
    for row in rules.transitions:
        guard = f" [{row.guard.__name__.strip('_').replace('_', ' ')}]" if row.guard else ""
        lines.append(f"    {row.source or '[*]'} --> {row.target or '[*]'}: {row.event}{guard}")
    return "\n".join(lines)
