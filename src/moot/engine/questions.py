"""The questions that panels were asked, so that one that is asked again becomes no second debate.

A client that loses patience asks again, and so does one that was killed. What it asks has a
fingerprint, and the store knows which debate that became and whether its answer was delivered.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection

from moot.engine.clock import Clock
from moot.errors import Conflict
from moot.ids import new_id
from moot.store.port import Asked, DebateIds, Store

Make = Callable[[str], Awaitable[object]]
"""Makes the debate with that id. Raises Conflict if it exists already."""
IsOver = Callable[[Asked], Awaitable[bool]]
"""Whether the same question is to be put anew, though it was asked before."""


class Questions:
    """What was asked, and who still waits for it."""

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
