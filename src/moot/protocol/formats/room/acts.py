"""What people do in a room, as events to append.

Each is decided on the state as it is when it is appended. Raises NotFound or InvalidInput, having
changed nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from moot.errors import InvalidInput, NotFound, Refused
from moot.protocol import events as e
from moot.protocol.formats.room.floor import Floor
from moot.protocol.state import DebateState, Turn
from moot.protocol.values import Participant
from moot.protocol.words import Pacing, Status, StepKind, Visibility

Make = Callable[[DebateState], Sequence[e.AnyEvent]]


def paced(pacing: Pacing) -> Make:
    """Switch between auto and manual."""

    def make(state: DebateState) -> Sequence[e.AnyEvent]:
        return () if state.pacing is pacing else (e.PacingChanged(pacing=pacing),)

    return make


def settled(include: Collection[int]) -> Make:
    """Include these of the pending turns; the rest is kept and excluded."""

    def make(state: DebateState) -> Sequence[e.AnyEvent]:
        pending = [turn.seq for turn in state.pending]
        for turn in include:
            if turn not in pending:
                raise InvalidInput("that answer is no longer pending", field="include")
        if not pending:
            raise Refused("nothing is pending")
        return [
            e.TurnIncluded(turn=turn) if turn in include else e.TurnExcluded(turn=turn)
            for turn in pending
        ]

    return make


def left(participant: str) -> Make:
    def make(state: DebateState) -> Sequence[e.AnyEvent]:
        return (e.ParticipantLeft(participant=_present(state, participant).id),)

    return make


def muted(participant: str, *, is_muted: bool) -> Make:
    def make(state: DebateState) -> Sequence[e.AnyEvent]:
        one = _present(state, participant)
        if one.muted is is_muted:
            return ()
        event = e.ParticipantMuted if is_muted else e.ParticipantUnmuted
        return (event(participant=one.id),)

    return make


def retried(participant: str) -> Make:
    """Let a member that failed to respond try again, alone."""

    def make(state: DebateState) -> Sequence[e.AnyEvent]:
        one = _present(state, participant)
        floor = state.own
        failed = floor.failed.get(one.id) if isinstance(floor, Floor) else None
        if failed is None:
            message = f"{one.name} has not failed to respond"
            raise Refused(message)
        return (*_resumed(state), e.StepRetried(failed_key=failed))

    return make


def said_again(participant: str) -> Make:
    """Let a member give its last answer once more; the old one stays, excluded."""

    def make(state: DebateState) -> Sequence[e.AnyEvent]:
        one = _present(state, participant)
        last = next(filter(_is_answer, reversed(state.own_turns.get(one.id, []))), None)
        if last is None or one.is_human:
            message = f"{one.name} has not answered yet, so there is no answer to give again"
            raise Refused(message)
        excluded = (e.TurnExcluded(turn=last.seq),) if last.included or last.is_pending else ()
        return (*_resumed(state), *excluded, e.StepRetried(failed_key=last.said.step_key))

    return make


def _resumed(state: DebateState) -> tuple[e.AnyEvent, ...]:
    return (e.DebateResumed(),) if state.status is Status.STOPPED else ()


def _is_answer(turn: Turn) -> bool:
    said = turn.said
    is_speech = said.kind is StepKind.SPEAK and said.visibility is Visibility.PUBLIC
    return is_speech and not turn.is_silent and bool(said.model)


def _present(state: DebateState, participant: str) -> Participant:
    try:
        return state.participants[participant]
    except KeyError:
        message = f"there is no participant {participant!r} in this debate"
        raise NotFound(message) from None
