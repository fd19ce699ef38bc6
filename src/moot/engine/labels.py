"""What people say about who really made the better case: given, read, taken back.

A label stands beside the log and never in it: nothing here may append to a debate, and no model is
ever told of a label.
"""

from __future__ import annotations

from moot.engine.clock import Clock
from moot.engine.live_debates import LiveDebates
from moot.engine.people import cleaned
from moot.errors import InvalidInput, Refused
from moot.protocol.hearing.case import Case, Side
from moot.protocol.names import fold_name
from moot.protocol.registry import format_named
from moot.protocol.state import DebateState
from moot.protocol.winners import TIE
from moot.protocol.words import USER, Role, Stance, Status
from moot.store.port import Label, Store

MAX_BY = 100
MAX_NOTE = 2_000


class Labels:
    """The labels of all debates."""

    def __init__(self, store: Store, live: LiveDebates, clock: Clock) -> None:
        self._store = store
        self._live = live
        self._clock = clock

    async def give(self, debate_id: str, winner: str, *, by: str = USER, note: str = "") -> Label:
        """Keep who made the better case, in place of what the same person said before.

        Raises NotFound, Refused if there is nothing to choose between or it is not settled yet, and
        InvalidInput if `winner` is neither a side nor a tie.
        """
        who, remark = person(by), cleaned(note, field="note", most=MAX_NOTE)
        async with self._live.open(debate_id) as live:
            side = chosen(live.state, winner)
        label = Label(debate_id=debate_id, by=who, winner=side, note=remark, at=self._clock.now())
        await self._store.label(label)
        return label

    async def of(self, debate_id: str) -> tuple[Label, ...]:
        """The labels of a debate, by who gave them. Raises NotFound."""
        await self._store.summary(debate_id)
        return await self._store.labels([debate_id])

    async def sides(self, debate_id: str) -> tuple[Side, ...]:
        """Who can be named as the winner. Raises NotFound, and Refused as `give` does."""
        async with self._live.open(debate_id) as live:
            return case_of(live.state).sides

    async def take_back(self, debate_id: str, *, by: str = USER) -> bool:
        """Forget what that person said; True if there was anything. Raises NotFound."""
        await self._store.summary(debate_id)
        return await self._store.unlabel(debate_id, person(by))


def person(by: str) -> str:
    """Who gives a label, in one line. Raises InvalidInput if it is blank or too long."""
    who = " ".join(cleaned(by, field="by", most=MAX_BY).split())
    if not who:
        raise InvalidInput("must not be blank: say who gives the label", field="by")
    return who


def case_of(state: DebateState) -> Case:
    """What there is to choose between. Raises Refused if that is nothing, or not settled yet."""
    if state.config.hears is not None:
        raise Refused("this is a hearing: label the debate that it is about")
    if state.status is not Status.COMPLETED:
        message = f"only a completed debate can be labelled, and this one is {state.status}"
        raise Refused(message)
    case = format_named(state.config.format).case(state)
    if case is None:
        raise Refused("this debate has no two sides or proposals to choose between")
    return case


def chosen(state: DebateState, winner: str) -> str:
    """The id of the side that is meant, or TIE. Raises Refused, and InvalidInput if neither
    is meant."""
    case = case_of(state)
    # An id comes first: nobody else can have it, while a name may look like another one's id.
    if any(side.id == winner.strip() for side in case.sides):
        return winner.strip()
    wanted = fold_name(winner)
    if wanted == TIE:
        return TIE
    found = {side.id for side in case.sides if wanted in _called(state, side)}
    if not wanted or len(found) != 1:
        message = f"must be {possible(state)}"
        raise InvalidInput(message, field="winner")
    return found.pop()


def possible(state: DebateState) -> str:
    """Who can be named, in words: `Ada (pro), Bo (con) or tie`. Raises Refused."""
    sides = [_named(state, side) for side in case_of(state).sides]
    return f"{', '.join(sides)} or {TIE}"


def _named(state: DebateState, side: Side) -> str:
    stance = stance_of(state, side)
    return f"{side.name} ({stance})" if stance else side.name


def _called(state: DebateState, side: Side) -> set[str]:
    stance = stance_of(state, side)
    return {fold_name(one) for one in (*side.names, *([stance] if stance else ()))}


def stance_of(state: DebateState, side: Side) -> str:
    """`pro` or `con`; "" if the side is a proposal, or has no stance."""
    found = {
        one.stance
        for one in state.config.participants
        if one.role is Role.DEBATER and one.name in side.names
    }
    stance = found.pop() if len(found) == 1 else Stance.NONE
    return "" if stance is Stance.NONE else stance.value
