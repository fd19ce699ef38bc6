"""One connection that listens: what other processes append is told within milliseconds.

A notification can be lost, with its connection. So the ends of the watched logs are read whenever a
connection is made, and now and then besides, which also shows whether the connection still lives.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import asyncpg

from moot.errors import StoreError
from moot.store.backends.postgres.database import CONNECT_TIMEOUT_S, driver_url, translated
from moot.store.backends.postgres.log import CHANNEL, ENDS
from moot.store.port import Tell, Watched

log = logging.getLogger(__name__)

LOOK_EVERY_S = 5.0
ANSWER_S = 5.0
"""A connection that takes longer to answer is given up."""
PAUSES_S = (0.1, 0.5, 1.0, 2.0)
"""Before connecting again; the last one repeats."""


class Listener:
    """Runs until cancelled. `origin` is what this process's own appends are marked with."""

    def __init__(self, url: str, origin: str, watched: Watched, tell: Tell) -> None:
        self._url = url
        self._origin = origin
        self._watched = watched
        self._tell = tell
        self._failures = 0
        self._must_look = asyncio.Event()
        self._known: dict[str, int] = {}

    async def run(self) -> None:
        while True:
            try:
                with translated():
                    await self._listen()
            except StoreError as error:
                pause_s = PAUSES_S[min(self._failures, len(PAUSES_S) - 1)]
                self._failures += 1
                log.warning("not listening to Postgres", extra={"error": str(error)})
                await asyncio.sleep(pause_s)

    async def _listen(self) -> None:
        async with self._connected() as connection:
            await connection.add_listener(CHANNEL, self._hear)
            connection.add_termination_listener(lambda _: self._must_look.set())
            while True:
                self._must_look.clear()
                await self._look(connection)
                self._failures = 0
                # Not `wait_for`, which can lose a cancellation before Python 3.12.
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_EVERY_S):
                        await self._must_look.wait()

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[asyncpg.Connection[asyncpg.Record]]:
        connection = await asyncpg.connect(
            driver_url(self._url),
            timeout=CONNECT_TIMEOUT_S,
            command_timeout=ANSWER_S,
            server_settings={"application_name": "moot news"},
        )
        try:
            yield connection
        finally:
            # Not close(): it would wait for a server that may be gone, and there is nothing to end.
            connection.terminate()

    async def _look(self, connection: asyncpg.Connection[asyncpg.Record]) -> None:
        watched = list(self._watched())
        found = {row["id"]: row["seq"] for row in await connection.fetch(ENDS, watched)}
        ends = {debate_id: found.get(debate_id, 0) for debate_id in watched}
        known, self._known = self._known, ends
        for debate_id, end in ends.items():
            if known.get(debate_id) != end:
                self._tell(debate_id, end)

    def _hear(self, _connection: Any, _pid: int, _channel: str, payload: object) -> None:
        origin, _, lines = str(payload).partition("\n")
        for line in lines.split("\n"):
            seq, _, debate_id = line.partition(" ")
            if seq.isdigit():
                self._known[debate_id] = int(seq)
                if origin != self._origin:
                    self._tell(debate_id, int(seq))
            else:  # too much for one notification, or an id that nobody would think of
                self._must_look.set()
