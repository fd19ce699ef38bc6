"""Reads one debate for one viewer: first the log, then the feed, without gap or repetition."""

from __future__ import annotations

from collections.abc import AsyncIterator

from moot.engine.feed import Item, Subscription
from moot.protocol.events import Recorded
from moot.protocol.lifecycle import status_after
from moot.protocol.words import Status
from moot.store.port import Store


class Follower:
    """Made after subscribing and before reading, so that nothing falls between the two."""

    def __init__(self, store: Store, debate_id: str, subscription: Subscription) -> None:
        self._store = store
        self._debate_id = debate_id
        self._subscription = subscription
        self._seq = 0
        self._status = Status.CREATED

    @property
    def may_go_on(self) -> bool:
        """Whether the last event read leaves something for a worker to do."""
        return self._status is Status.CREATED or self._status.is_active

    async def items(self, *, after: int, until_still: bool = False) -> AsyncIterator[Item]:
        """Events after `after` and whatever is live, until the subscription is closed.

        With `until_still`, only until a worker has nothing left to do at the end of the log.
        """
        for record in await self._store.read(self._debate_id):
            self._read(record)
            if record.seq > after:
                yield record
        if until_still and not self.may_go_on:
            return
        async for item in self._subscription.items():
            if not isinstance(item, Recorded):
                yield item
                continue
            for record in await self._up_to(item):
                self._read(record)
                yield record
            if until_still and not self.may_go_on:
                return

    async def _up_to(self, record: Recorded) -> list[Recorded]:
        """The event itself, with those before it that the feed did not deliver."""
        if record.seq <= self._seq:
            return []
        if record.seq == self._seq + 1:
            return [record]
        return await self._store.read(self._debate_id, after=self._seq)

    def _read(self, record: Recorded) -> None:
        self._seq = record.seq
        if record.seq > 1:
            self._status = status_after(self._status, record.event)
