"""A worker that gets its debates from a queue, and a reconciler that forgives the queue everything.

Running debates that nobody holds, and waiting ones in which somebody's time to answer is up, are
put into the queue again and again until somebody takes them, so a job that was lost, dropped or
never made costs seconds.
"""

from __future__ import annotations

import asyncio
import logging

from moot.engine.clock import Clock
from moot.engine.worker import Worker
from moot.errors import Busy, MootError, NotFound, StoreError
from moot.queue.port import Outcome, Queue
from moot.store.port import Store

log = logging.getLogger(__name__)

LOOK_EVERY_S = 3.0
MOST_PER_LOOK = 1000


class Crew:
    """Up to `concurrency` debates at once."""

    def __init__(
        self,
        *,
        worker: Worker,
        store: Store,
        queue: Queue,
        clock: Clock,
        concurrency: int,
        look_every_s: float = LOOK_EVERY_S,
    ) -> None:
        self._worker = worker
        self._store = store
        self._queue = queue
        self._clock = clock
        self._concurrency = concurrency
        self._look_every_s = look_every_s
        self.running = 0
        """How many debates are being advanced."""

    async def run(self) -> None:
        """Until cancelled; then the debates at work are given back as they stand."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._queue.consume(self._advance, concurrency=self._concurrency))
            group.create_task(self._reconcile())

    async def _advance(self, debate_id: str) -> Outcome:
        self.running += 1
        try:
            await self._worker.advance(debate_id)
        except NotFound:
            return Outcome.DONE  # deleted meanwhile
        except Busy:
            # Whoever has it may just have decided that there is nothing left to do.
            return Outcome.LATER
        except MootError as error:
            log.warning("advance failed", extra={"debate": debate_id, "error": str(error)})
            return Outcome.LATER
        finally:
            self.running -= 1
        return Outcome.DONE

    async def _reconcile(self) -> None:
        while True:
            await self._clock.sleep(self._look_every_s)
            # Without room, whatever waits in the queue is abandoned too, and rightly so.
            if self.running < self._concurrency:
                try:
                    await self._worker.bury()
                    found = await self._store.abandoned(limit=MOST_PER_LOOK)
                    found += await self._store.due(self._clock.now(), limit=MOST_PER_LOOK)
                    await self._queue.enqueue(*found)
                except StoreError as error:
                    log.warning("store unavailable", extra={"error": str(error)})
