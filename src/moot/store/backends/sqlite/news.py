"""What other processes append, found by looking: SQLite cannot notify anybody.

A look costs one pragma. Only if somebody has committed since the last one are the ends of the
watched logs read, with one query for all.
"""

from __future__ import annotations

import asyncio

from moot.errors import StoreError
from moot.store.backends.sqlite import log
from moot.store.backends.sqlite.connection_thread import ConnectionThread
from moot.store.port import Tell, Watched

LOOK_EVERY_S = 0.5


class NewsWatch:
    """Runs until cancelled. What this process appends itself is no news."""

    def __init__(self, reader: ConnectionThread, watched: Watched, tell: Tell) -> None:
        self._reader = reader
        self._watched = watched
        self._tell = tell
        self._version = -1
        self._known: dict[str, int] = {}

    def note(self, debate_id: str, seq: int) -> None:
        self._known[debate_id] = seq

    async def run(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            watched = list(self._watched())
            try:
                if watched:
                    await self._look(watched)
            except StoreError:  # full, locked or away: the next look finds it
                continue

    async def _look(self, watched: list[str]) -> None:
        version = await self._reader.submit(log.data_version)
        if version == self._version and self._known.keys() >= set(watched):
            return
        ends = await self._reader.submit(lambda connection: log.ends_of(connection, watched))
        self._version = version
        known = self._known
        self._known = {one: max(known.get(one, 0), ends.get(one, 0)) for one in watched}
        for one in watched:
            end = ends.get(one, 0)
            if one not in known or end > known[one] or not end:
                self._tell(one, end)
