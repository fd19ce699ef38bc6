"""Sees to it that every debate with something to run is advanced, by this process or by others.

Three loops. One puts the debates that this process was told of into the queue. In a process with
a worker, a second one takes jobs out of it. A third, the reconciler, makes up for jobs that were
lost, dropped or never made: it finds running debates that nobody holds, and waiting ones in which
somebody's time to answer is up, and puts them in until somebody takes them.

The reconciler finds debates by their rows. A row that is wrong might say that there is nothing to
run; so it first puts in every debate whose row and log end at different events, or whose row has
no status that there is. A row that goes wrong later is put right as soon as anybody looks at the
debate or changes it (`LiveDebate.row`), or by the next process. Nothing here decides anything about
a debate: advancing one that needs nothing, or advancing it twice, does no harm.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial

from moot.engine import failpoints
from moot.engine.clock import Clock
from moot.engine.loops import never_ending
from moot.engine.worker import Worker
from moot.errors import Busy, MootError, NotFound, StoreError, StoreUnavailable
from moot.queue.port import Outcome, Queue
from moot.store.port import Store

log = logging.getLogger(__name__)

LOOK_EVERY_S = 3.0
CONCURRENCY = 2000
MOST_PER_LOOK = 1000
AGAIN_S = 1.0
WITHOUT_S = 60.0
"""How long there may be no living worker before that is told: workers are restarted, too."""


class Dispatcher:
    """Without a worker, it only puts debates into the queue. `run` it beside everything else."""

    def __init__(
        self,
        *,
        queue: Queue,
        store: Store,
        clock: Clock,
        worker: Worker | None,
        concurrency: int = CONCURRENCY,
        look_every_s: float = LOOK_EVERY_S,
    ) -> None:
        self._queue = queue
        self._store = store
        self._clock = clock
        self._worker = worker
        self._concurrency = concurrency
        self._look_every_s = look_every_s
        self._woken: set[str] = set()
        self._trusts_rows = False
        self._manned_at = clock.monotonic()
        self._news = asyncio.Event()
        self.running = 0
        """How many debates are being advanced."""
        self.is_reaching_queue = True
        """Whether the last debates could be put into the queue."""

    def wake(self, debate_id: str) -> None:
        """Note that a debate may have something to run. Returns at once.

        What is not in the queue yet when the process ends is found by a reconciler.
        """
        self._woken.add(debate_id)
        self._news.set()

    async def run(self) -> None:
        """Run until cancelled; then the debates at work are given back as they stand."""
        consume = partial(self._queue.consume, self._advance, concurrency=self._concurrency)
        async with asyncio.TaskGroup() as group:
            group.create_task(never_ending("handing over", self._hand_over))
            if self._worker is not None:
                group.create_task(never_ending("queue", consume))
                group.create_task(never_ending("reconciler", self._reconcile))

    def rest(self) -> None:
        """Take no more debates up: the process is leaving."""
        self._queue.rest()

    async def check_workers(self) -> None:
        """Raise StoreUnavailable if nobody has been there for a while to run what is handed on."""
        now = self._clock.monotonic()
        if self._worker is not None or await self._store.has_worker():
            self._manned_at = now
        elif now - self._manned_at >= WITHOUT_S:
            message = f"no worker has been alive for {WITHOUT_S:g} s: start one with `moot worker`"
            raise StoreUnavailable(message)

    async def _hand_over(self) -> None:
        while True:
            failpoints.reach("dispatcher")
            await self._news.wait()
            self._news.clear()
            woken, self._woken = self._woken, set()
            try:
                await self._queue.enqueue(*woken)
                self.is_reaching_queue = True
            except StoreError as error:
                log.warning("queue unavailable", extra={"error": str(error)})
                self.is_reaching_queue = False
                self._woken |= woken
                self._news.set()
                await self._clock.sleep(AGAIN_S)

    async def _advance(self, debate_id: str) -> Outcome:
        assert self._worker is not None  # noqa: S101 - nothing is consumed without one
        self.running += 1
        try:
            state = await self._worker.advance(debate_id)
        except NotFound:
            return Outcome.DONE  # deleted meanwhile
        except Busy:
            # Whoever has it may just have decided that there is nothing left to do.
            return Outcome.ELSEWHERE if self._worker.is_draining else Outcome.LATER
        except MootError as error:
            log.warning("advance failed", extra={"debate": debate_id, "error": str(error)})
            return Outcome.LATER
        finally:
            self.running -= 1
        is_left = self._worker.is_draining and state.status.is_active
        return Outcome.ELSEWHERE if is_left else Outcome.DONE

    async def _reconcile(self) -> None:
        while True:
            failpoints.reach("reconciler")
            await self.look()
            await self._clock.sleep(self._look_every_s)

    async def look(self) -> None:
        """Put into the queue what should run and does not. A store that is away is no error."""
        # While there is no room, debates that wait in the queue look abandoned, and are not.
        if self._worker is None or self.running >= self._concurrency:
            return
        try:
            await self._worker.bury()
            found = await self._store.abandoned(limit=MOST_PER_LOOK)
            found += await self._store.due(self._clock.now(), limit=MOST_PER_LOOK)
            misled = [] if self._trusts_rows else await self._store.misled(limit=MOST_PER_LOOK)
            await self._queue.enqueue(*found, *misled)
            self._trusts_rows = len(misled) < MOST_PER_LOOK
        except StoreError as error:
            log.warning("store unavailable", extra={"error": str(error)})
