"""What is next in a debate, what has to be recorded before it can begin, and what people may do.

Everybody who has to know asks here: the worker that runs a debate, the checker that rehearses one,
forks, the questions put to people, and whoever shows where a debate stands, so as to offer nothing
that would be refused. Nothing in this module writes to a store, calls a model or reads a clock:
events go to the `record` that the caller gives, which must apply them to the state before it
returns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import assert_never

import msgspec

from moot.errors import ENDS_PROCESS, IllegalEvent, mistake
from moot.protocol import events as e
from moot.protocol.lifecycle import LIFECYCLE
from moot.protocol.limits import newly_reached
from moot.protocol.machine import Format, ask, completed
from moot.protocol.row import Cursor
from moot.protocol.state import DebateState
from moot.protocol.steps import Broken, Finish, Idle, Record, Run, Step
from moot.protocol.values import Config, Participant
from moot.protocol.vocabulary import KINDS
from moot.protocol.words import USER, Pacing, Role, Status

MOST_MOVES = 1000
"""Stages a format may enter in a row without anything to run: more is a circle."""

TO_SPARE = 20
"""More steps than a format counts may begin, beside twice as many as it counts."""

UNREADABLE = "unreadable"
"""The code of a step that failed because none of its replies could be read."""
INTERNAL = "internal"
"""The code of what failed by a mistake in Moot, or in a format."""
LOOKED_AT = (e.StageEntered, e.NoticePosted)
"""Events that a debate may still record while it is being stopped: they begin nothing."""

TakeIn = Callable[[e.AnyEvent], object]
"""Applies an event to the state, and keeps it to be appended."""
Now = Callable[[], datetime]
Left = Run | Idle | Finish | Broken
"""What is left once everything is recorded that follows by itself."""
Ending = e.DebateCompleted | e.DebateFailed | e.DebateSuspended
"""The events by which a debate ends or comes to stand still by itself."""


# --- one look, nothing recorded ------------------------------------------------------------------


def open_steps(rules: Format, state: DebateState, now: datetime) -> tuple[Step, ...] | None:
    """What the format asks for now; None if it first wants something recorded."""
    match ask(rules, state, now):
        case Run(steps):
            return steps
        case Record():
            return None
        case Idle() | Finish() | Broken():
            return ()
        case other:
            assert_never(other)


def steps_to_come(rules: Format, state: DebateState, now: datetime) -> tuple[Step, ...]:
    """What the format asks for once everything is recorded that follows from the state by itself.

    Tried on a copy: perhaps no worker is there to record it, and an answer need not wait for one.
    """
    twin = state.copy()

    def take_in(event: e.AnyEvent) -> None:
        twin.apply(e.Recorded(twin.seq + 1, now, event))

    left = settle(rules, twin, take_in, lambda: now)
    return left.steps if isinstance(left, Run) else ()


def cursor_at(rules: Format, state: DebateState, now: datetime) -> Cursor:
    """Where the log says the debate stands."""
    steps = () if state.status.is_terminal else open_steps(rules, state, now)
    return pointing_at(state, steps or ())


def pointing_at(state: DebateState, steps: tuple[Step, ...]) -> Cursor:
    """The cursor of a debate whose open steps are these: it stands on the first by place."""
    first = min(steps, key=lambda step: step.place, default=None)
    return Cursor(
        stage=state.stage,
        next_round=first.round if first else None,
        next_actor=first.participant if first else None,
    )


def is_wanted(rules: Format, state: DebateState, event: e.AnyEvent, now: datetime) -> bool:
    """Whether the format asks for exactly this now. Limits, and what people do, come unasked."""
    if not isinstance(event, e.TurnRecorded | e.StageEntered):
        return False
    match ask(rules, state, now):
        case Run(steps) if isinstance(event, e.TurnRecorded):
            wanted = (event.step_key, event.participant, event.place)
            asked = (one for step in steps for one in (step, *step.along))
            return any((step.key, step.participant, step.place) == wanted for step in asked)
        case Record(events):
            return event in events
        case _:
            return False


# --- taking in what follows by itself ------------------------------------------------------------


def settle(rules: Format, state: DebateState, record: TakeIn, now: Now) -> Left:
    """Record whatever follows from the state by itself, and return what is left to be done."""
    for _ in range(MOST_MOVES):
        if state.status is not Status.RUNNING:
            return Idle(f"the debate is {state.status}")
        moment = now()
        for limit in newly_reached(state, moment):
            record(limit)
        decision = ask(rules, state, moment)
        if not isinstance(decision, Record):
            return decision
        try:
            for event in decision.events:
                record(event)
        except ENDS_PROCESS:
            raise
        except BaseException as error:  # noqa: BLE001 - what anybody's code wants to have recorded
            return Broken(error)
    return Broken(IllegalEvent(f"{rules.name} goes round in circles without taking a step"))


def look_ahead(rules: Format, state: DebateState, record: TakeIn, now: Now) -> Cursor:
    """Where a debate that is being stopped will go on. That stage is entered; nothing begins."""
    for _ in range(MOST_MOVES):
        match ask(rules, state, now()):
            case Record(events) if all(isinstance(one, LOOKED_AT) for one in events):
                for event in events:
                    record(event)
            case Run(steps):
                return pointing_at(state, steps)
            case _:
                break
    return pointing_at(state, ())


def most_steps(rules: Format, config: Config) -> float:
    """More steps than one run of such a debate can begin, so that nothing goes on for ever."""
    if rules.is_open_ended:  # its limits, and people, say when it is over
        return math.inf
    try:
        return 2 * rules.most_calls(config) + TO_SPARE
    except Exception:  # noqa: BLE001 - anybody's code
        return TO_SPARE


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What to do now. `ask` and `withdraw` are to be recorded first, then `ending`."""

    cursor: Cursor
    run: tuple[Step, ...] = ()
    """Steps for models: to be begun, or under way and still wanted."""
    ask: tuple[Step, ...] = ()
    """Steps of people who have not been asked yet."""
    withdraw: tuple[str, ...] = ()
    """Open questions that nobody wants to have answered any more."""
    ending: Ending | None = None
    """How it ends or stands still, if nothing is left to run."""


def decide(state: DebateState, left: Left, in_flight: Collection[str]) -> Decision:
    """What to do about what `settle` has left to be done.

    All open steps run at once. Once a step that is needed has failed, none is begun any more, but
    those in flight are let finish.
    """
    match left:
        case Finish(stop_reason, outcome):
            try:
                ending: Ending = completed(stop_reason, outcome)
            except Exception as error:  # noqa: BLE001 - anybody's outcome
                return decide(state, Broken(error), in_flight)
            return Decision(cursor=Cursor(stage=state.stage), ending=ending)
        case Run(steps):
            return _choose(state, steps, in_flight)
        case Idle(reason):
            stands_still = not (state.is_open_ended or state.questions)
            if stands_still:  # nobody was asked, so nobody would ever answer
                return decide(state, Broken(IllegalEvent(f"it stands still: {reason}")), in_flight)
            return _choose(state, (), in_flight)
        case Broken(error):
            ending = e.DebateFailed(error=in_format(state.config.format, error), code=INTERNAL)
            return Decision(cursor=pointing_at(state, ()), ending=ending)
        case other:
            assert_never(other)


def in_format(name: str, error: BaseException) -> str:
    """What is told of an error that the format of that name has raised."""
    return f"a mistake in the format {name}: {mistake(error)}"


def _choose(state: DebateState, steps: tuple[Step, ...], in_flight: Collection[str]) -> Decision:
    people = [step for step in steps if state.is_person(step.participant)]
    if not (people or state.failures or state.questions):
        # Models only, and all is well: as after nearly every turn.
        ending = None if steps else _standing_still(state, None)
        return Decision(cursor=pointing_at(state, steps), run=steps, ending=ending)
    failed = next((step for step in steps if step.key in state.failures), None)
    run = tuple(
        step
        for step in steps
        if not state.is_person(step.participant) and (failed is None or step.key in in_flight)
    )
    wanted = {step.key for step in steps}
    return Decision(
        cursor=pointing_at(state, steps),
        run=run,
        ask=tuple(step for step in people if step.key not in state.questions),
        withdraw=tuple(key for key in state.questions if key not in wanted),
        ending=None if run else _standing_still(state, failed),
    )


def _standing_still(state: DebateState, failed: Step | None) -> Ending:
    if failed is None:
        return e.DebateSuspended()
    failure = state.failures[failed.key]
    error = failure.error
    if failure.code == UNREADABLE:  # which does not say whose reply it was
        error = f"{state.label_of(failed.participant)}: no {KINDS[failed.kind].noun} ({error})"
    return e.DebateFailed(error=error, code=failure.code, step_key=failed.key)


# --- what people may do now, and who speaks next --------------------------------------------------

_ANYBODY = Participant(id="anybody", name="Anybody", role=Role.MEMBER)


def _events(state: DebateState) -> Mapping[str, e.AnyEvent]:
    """An example event for every action, to ask the format about."""
    other = Pacing.MANUAL if state.pacing is Pacing.AUTO else Pacing.AUTO
    somebody = next(iter(state.participants), USER)
    return MappingProxyType(
        {
            "say": e.MessageSaid(participant=USER, content="..."),
            "pace": e.PacingChanged(pacing=other),
            "join": e.ParticipantJoined(participant=_ANYBODY),
            "leave": e.ParticipantLeft(participant=somebody),
            "mute": e.ParticipantMuted(participant=somebody),
        }
    )


def allowed(rules: Format, state: DebateState) -> tuple[str, ...]:
    """Those of say, pace, join, leave, mute, settings, include and pending that would not be
    refused."""
    if state.status.is_terminal:
        return ()
    is_stopped = state.status in (Status.STOPPED, Status.STOPPING)
    # A conversation that was stopped goes on when somebody speaks.
    row = LIFECYCLE[Status.RUNNING if rules.is_open_ended and is_stopped else state.status]
    names = [
        name
        for name, event in _events(state).items()
        if type(event) in row and rules.refusal(state, event) is None
    ]
    names += ["settings"] if rules.changeable else []
    names += ["include"] if state.turns else []
    names += ["pending"] if state.pending else []
    return tuple(names)


def upcoming(rules: Format, state: DebateState) -> tuple[str, ...]:
    """The next speakers of a debate that is not over, as far as its format can know them."""
    return () if state.status.is_terminal else rules.upcoming(state, state.updated_at)
