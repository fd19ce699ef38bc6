"""Links by which strangers may read one debate: made, looked up, taken back.

A token is the whole secret: nothing else of a debate, its id included, leads to its link.
"""

from __future__ import annotations

import re
import secrets

from moot.engine.clock import Clock
from moot.errors import Refused
from moot.store.port import Link, Store

TOKEN_BYTES = 24
"""192 bits: nobody guesses one, however many there are."""
_TOKEN = re.compile(r"[A-Za-z0-9_-]{32}")


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
