"""Advances every debate that has something to run and that nobody holds, in this process.

It is told of debates as they become active, and looks now and then for abandoned ones and for those
in which somebody's time to answer is up, so that a missed word costs seconds and never a debate.
Nothing here decides anything about a debate: to advance one that needs nothing, or twice, does no
harm.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from moot.engine.clock import Clock
from moot.engine.worker import Worker
from moot.errors import Busy, MootError, NotFound, StoreError
from moot.store.port import Store

log = logging.getLogger(__name__)

LOOK_EVERY_S = 3.0
CONCURRENCY = 2000


class Dispatcher:
    def __init__(
        self,
        *,
        worker: Worker,
        store: Store,
        clock: Clock,
        concurrency: int = CONCURRENCY,
        look_every_s: float = LOOK_EVERY_S,
    ) -> None:
        self._worker = worker
        self._store = store
        self._clock = clock
        self._concurrency = concurrency
        self._look_every_s = look_every_s
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()
        self._is_closing = False

    @property
    def running(self) -> int:
        """How many debates are being advanced."""
        return len(self._tasks)

    def wake(self, debate_id: str) -> None:
        """There may be something to run. Returns at once."""
        if debate_id in self._tasks:
            # The one at work may just have decided that there is nothing left.
            self._again.add(debate_id)
        elif not self._is_closing and self.running < self._concurrency:
            task = asyncio.create_task(self._advance(debate_id))
            self._tasks[debate_id] = task

    async def run(self) -> None:
        """Look for abandoned debates until cancelled; then stop the ones at work, keeping all."""
        try:
            while True:
                await self._look()
                await self._clock.sleep(self._look_every_s)
        finally:
            self._is_closing = True
            for task in self._tasks.values():
                task.cancel()
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _look(self) -> None:
        room = self._concurrency - self.running
        if room <= 0:
            return
        try:
            await self._worker.bury()
            found = await self._store.abandoned(limit=room)
            found += await self._store.due(self._clock.now(), limit=room)
        except StoreError as error:
            log.warning("store unavailable", extra={"error": str(error)})
            return
        for debate_id in found:
            self.wake(debate_id)

    async def _advance(self, debate_id: str) -> None:
        try:
            with suppress(Busy, NotFound):
                await self._worker.advance(debate_id)
        except MootError as error:
            # It stays running in the log, so the next look finds it again.
            log.warning("advance failed", extra={"debate": debate_id, "error": str(error)})
        except Exception:
            log.exception("advance broke", extra={"debate": debate_id})
        finally:
            del self._tasks[debate_id]
            if debate_id in self._again:
                self._again.discard(debate_id)
                self.wake(debate_id)
