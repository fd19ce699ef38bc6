"""What is kept beside the logs of debates: links, people's labels, and what panels were asked.

Nothing here may append to a debate, and no model is ever told of any of it. A link's token is the
whole secret: nothing else of a debate, its id included, leads to its link.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Awaitable, Callable, Collection

from moot.engine.clock import Clock
from moot.engine.live_debates import LiveDebates
from moot.engine.looking import on_demand
from moot.engine.people import cleaned
from moot.errors import Conflict, InvalidInput, Refused
from moot.ids import new_id
from moot.protocol.hearing.case import Case, Side
from moot.protocol.names import fold_name
from moot.protocol.registry import format_named
from moot.protocol.state import DebateState
from moot.protocol.winners import TIE
from moot.protocol.words import USER, Role, Stance, Status
from moot.store.port import Asked, DebateIds, Label, Link, Store

TOKEN_BYTES = 24
"""192 bits: nobody guesses one, however many there are."""
_TOKEN = re.compile(r"[A-Za-z0-9_-]{32}")

MAX_BY = 100
MAX_NOTE = 2_000

Make = Callable[[str], Awaitable[object]]
"""Makes the debate with that id. Raises Conflict if it exists already."""
IsOver = Callable[[Asked], Awaitable[bool]]
"""Whether the same question is to be put anew, though it was asked before."""


# --- links by which strangers may read one debate -------------------------------------------------


class Links:
    """The links of all debates."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def share(self, debate_id: str, *, private: bool = False) -> Link:
        """The link of a debate, made now if there is none. Raises NotFound.

        Raises Refused if there is one that shows more or less than is asked for: those who have it
        would be shown more, or lose what they were promised.
        """
        link = await self._store.share(
            Link(
                debate_id=debate_id,
                token=secrets.token_urlsafe(TOKEN_BYTES),
                has_private=private,
                made_at=self._clock.now(),
            )
        )
        if link.has_private is not private:
            which = "with" if link.has_private else "without"
            message = (
                f"there is a link already, {which} private thoughts: revoke it, then make another"
            )
            raise Refused(message)
        return link

    async def of(self, debate_id: str) -> Link | None:
        """The link of a debate, if it has one. Raises NotFound."""
        await self._store.summary(debate_id)
        return await self._store.link(debate_id)

    async def by(self, token: str) -> Link | None:
        """The link with that token. A text that cannot be a token is not looked up."""
        return await self._store.link_by(token) if _TOKEN.fullmatch(token) else None

    async def revoke(self, debate_id: str) -> bool:
        """Let nobody use a debate's link any more; True if it had one. Raises NotFound."""
        await self._store.summary(debate_id)
        return await self._store.revoke(debate_id)


# --- what people say about who really made the better case ----------------------------------------


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
    rules = format_named(state.config.format)
    with on_demand(rules):
        case = rules.case(state)
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


# --- the questions that panels were asked ---------------------------------------------------------


class Questions:
    """What was asked, and who still waits for it: what is asked again becomes no second debate.

    A client that loses patience asks again, and so does one that was killed. What it asks has a
    fingerprint, and the store knows which debate that became and whether its answer was delivered.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def find(self, fingerprint: str) -> Asked | None:
        """What was last asked under that fingerprint, if anything."""
        return await self._store.asked(fingerprint)

    async def made(self, fingerprint: str, make: Make, is_over: IsOver) -> tuple[str, bool]:
        """The debate that the question became, made now if need be, and whether it is new.

        Its id is reserved first: a process that dies before the debate is made leaves nothing else
        behind, and whoever asks next makes the debate under that id. So two who ask at once, at two
        servers, get one debate.
        """
        before = await self._store.asked(fingerprint)
        if before is None or await is_over(before):
            place = Asked(fingerprint=fingerprint, debate_id=new_id(), at=self._clock.now())
            instead_of = before.debate_id if before else None
            before = await self._store.keep_asked(place, instead_of=instead_of)
        if await self._store.find(before.debate_id):
            return before.debate_id, False
        try:
            await make(before.debate_id)
        except Conflict:  # somebody else was quicker
            return before.debate_id, False
        return before.debate_id, True

    async def also(self, fingerprint: str, debate_id: str) -> None:
        """Note that a question goes on with a debate that is there already."""
        now = self._clock.now()
        place = Asked(fingerprint=fingerprint, debate_id=debate_id, at=now)
        before = await self._store.asked(fingerprint)
        instead_of = before.debate_id if before else None
        await self._store.keep_asked(place, instead_of=instead_of)

    async def deliver(self, fingerprint: str, debate_id: str) -> None:
        """Note that the whole answer was delivered: whoever asks again wants a new one."""
        await self._store.deliver(fingerprint, debate_id)

    async def keep_form(self, fingerprint: str, debate_id: str, form: str) -> None:
        """Keep the answer in the form that was asked for, so that it is paid for only once."""
        await self._store.keep_form(fingerprint, debate_id, form)

    async def attend(self, debate_ids: Collection[str], *, seconds: float) -> None:
        """Note that somebody waits for these debates, and will for at least so many seconds."""
        if debate_ids:
            await self._store.attend(debate_ids, seconds=seconds)

    async def leave(self, debate_id: str) -> None:
        """Note that nobody has to wait for that debate."""
        await self._store.leave(debate_id)

    async def unattended(self) -> DebateIds:
        """The debates for which somebody waited, and nobody does any more."""
        return await self._store.unattended()
