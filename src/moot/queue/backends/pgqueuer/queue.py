"""The queue itself: a connection for putting jobs in, and one for each consumer."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Self

from moot.queue.backends.pgqueuer.connection import QueueConnection, connected
from moot.queue.backends.pgqueuer.consumer import SILENT_S, Consumer
from moot.queue.port import Handle, Queue

MOST_AT_ONCE = 1000
"""Jobs put in by one statement."""


class PgQueue(Queue):
    """Opened by `PgQueue.open(url)`; the methods' contract is the port's.

    A consumer that has not been heard of for `silent_s` is taken for dead.
    """

    def __init__(self, url: str, *, silent_s: float = SILENT_S) -> None:
        self._url = url
        self._silent_s = silent_s
        self._stack = AsyncExitStack()
        self._connection: QueueConnection | None = None
        self._turns = asyncio.Lock()

    @classmethod
    async def open(cls, url: str, *, silent_s: float = SILENT_S) -> Self:
        """The queue in the database `url` (postgresql://...), its schema up to date."""
        async with connected(url) as connection:
            await connection.install()
        return cls(url, silent_s=silent_s)

    async def enqueue(self, *debate_ids: str) -> None:
        wanted = list(dict.fromkeys(debate_ids))
        async with self._turns:
            for first in range(0, len(wanted), MOST_AT_ONCE):
                connection = await self._connected()
                await connection.put(wanted[first : first + MOST_AT_ONCE])

    async def consume(self, handle: Handle, *, concurrency: int) -> None:
        await Consumer(self._url, handle, concurrency=concurrency, silent_s=self._silent_s).run()

    async def close(self) -> None:
        await self._stack.aclose()
        self._connection = None

    async def _connected(self) -> QueueConnection:
        if self._connection is None or self._connection.is_broken:
            await self._stack.aclose()
            self._connection = await self._stack.enter_async_context(connected(self._url))
        return self._connection
