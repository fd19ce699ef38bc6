"""One connection with an event loop of its own, for a thread that must not depend on another's.

It is used for nothing but keeping leases; the lock lets any number of threads share it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress

import asyncpg

from moot.errors import StoreError, StoreUnavailable
from moot.store.backends.postgres.database import (
    CONNECT_TIMEOUT_S,
    STATEMENT_TIMEOUT_S,
    Connection,
    driver_url,
)
from moot.store.backends.postgres.failures import translated


class BlockingConnection:
    """Connected at the first use, and again after a failure."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._lock = threading.Lock()
        self._is_closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._connection: asyncpg.Connection[asyncpg.Record] | None = None

    def run(self, work: Callable[[Connection], Awaitable[None]]) -> None:
        with self._lock:
            if self._is_closed:
                raise StoreUnavailable("the store is closed: open it again")
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
            self._loop.run_until_complete(self._run(work))

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            if self._loop is None:
                return
            self._loop.run_until_complete(self._hang_up())
            self._loop.close()
            self._loop = None

    async def _run(self, work: Callable[[Connection], Awaitable[None]]) -> None:
        try:
            with translated():
                await work(await self._connected())
        except StoreUnavailable:
            await self._hang_up()
            raise

    async def _connected(self) -> asyncpg.Connection[asyncpg.Record]:
        if self._connection is None or self._connection.is_closed():
            self._connection = await asyncpg.connect(
                driver_url(self._url),
                timeout=CONNECT_TIMEOUT_S,
                command_timeout=STATEMENT_TIMEOUT_S,
                server_settings={"application_name": "moot leases"},
            )
        return self._connection

    async def _hang_up(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(StoreError), translated():
                await connection.close(timeout=1)
