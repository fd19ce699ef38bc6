"""Takes jobs as long as there is room, beats for those at work, and settles those that ended.

All of that happens over one connection, in one loop. When the connection breaks the jobs go on;
the next connection beats for them and settles what ended meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from contextlib import suppress

import msgspec
from pgqueuer.domain.models import Job
from pgqueuer.domain.types import JobId

from moot.engine import failpoints
from moot.errors import StoreUnavailable
from moot.queue.backends.pgqueuer.connection import QueueConnection, connected
from moot.queue.port import LATER_S, Handle, Outcome

log = logging.getLogger(__name__)

SILENT_S = 15.0
BEATS = 4
"""Heartbeats in the time after which a consumer is taken for dead."""
POLL_S = 1.0
"""Looks for jobs that nothing tells of: handed back, due again, or of a dead consumer."""
BATCH = 100
PAUSES_S = (0.1, 0.5, 1.0, 2.0)
"""Before connecting again; the last one repeats."""
FORGET_EVERY_S = 3600.0
FAREWELL_S = 3.0
"""How long to try to hand jobs back before going."""


class Ended(msgspec.Struct, frozen=True):
    """A job that is not at work any more; `outcome` is None if it raised."""

    job: Job
    outcome: Outcome | None


class Consumer:
    def __init__(self, url: str, handle: Handle, *, concurrency: int, silent_s: float) -> None:
        self._url = url
        self._handle = handle
        self._concurrency = concurrency
        self._silent_s = silent_s
        self._id = uuid.uuid4()
        self._at_work: dict[JobId, tuple[Job, asyncio.Task[None]]] = {}
        self._ended: list[Ended] = []
        self._news = asyncio.Event()
        self._failures = 0
        self._next_beat = 0.0
        self._next_forgetting = 0.0

    async def run(self) -> None:
        try:
            while True:
                try:
                    await self._serve()
                except StoreUnavailable as error:
                    pause_s = PAUSES_S[min(self._failures, len(PAUSES_S) - 1)]
                    self._failures += 1
                    log.warning("queue unavailable", extra={"error": str(error)})
                    await asyncio.sleep(pause_s)
        finally:
            await self._leave()

    async def _serve(self) -> None:
        async with connected(self._url) as connection:
            await connection.listen(self._news.set)
            while True:
                failpoints.reach("consumer")
                self._news.clear()
                await self._settle(connection)
                await self._beat(connection)
                is_more = await self._take(connection)
                self._failures = 0
                if not is_more:
                    # Not `wait_for`, which can lose a cancellation before Python 3.12.
                    with suppress(TimeoutError):
                        async with asyncio.timeout(min(POLL_S, self._silent_s / 8)):
                            await self._news.wait()

    async def _take(self, connection: QueueConnection) -> bool:
        """Start as many jobs as there is room for; whether there may be more right now."""
        room = min(self._concurrency - len(self._at_work), BATCH)
        if room <= 0:
            return False
        jobs = await connection.take(room, self._id, self._silent_s)
        for job in jobs:
            if job.id not in self._at_work:  # a beat of ours came late, and we took our own job
                task = asyncio.create_task(self._work(job))
                self._at_work[job.id] = (job, task)
        return len(jobs) == room

    async def _work(self, job: Job) -> None:
        outcome = None
        try:
            outcome = await self._handle((job.payload or b"").decode())
        except Exception:
            log.exception("job failed")
        del self._at_work[job.id]
        self._ended.append(Ended(job, outcome))
        self._news.set()

    async def _beat(self, connection: QueueConnection) -> None:
        now = time.monotonic()
        if now >= self._next_beat:
            self._next_beat = now + self._silent_s / BEATS
            if self._at_work:
                await connection.beat(self._at_work)
        if now >= self._next_forgetting:
            self._next_forgetting = now + FORGET_EVERY_S
            await connection.forget_old()

    async def _settle(self, connection: QueueConnection) -> None:
        ended = list(self._ended)
        done: list[Job] = []
        for each in ended:
            if each.outcome is Outcome.LATER and each.job.attempts < len(LATER_S):
                await connection.hand_back(each.job, LATER_S[each.job.attempts])
            elif each.outcome is not None:
                done.append(each.job)
        await connection.finish(done)
        await connection.finish(
            [each.job for each in ended if each.outcome is None], has_failed=True
        )
        del self._ended[: len(ended)]

    async def _leave(self) -> None:
        """Stop what is at work and hand it back, so that others need not find out by themselves."""
        left = list(self._at_work.values())
        for _, task in left:
            task.cancel()
        await asyncio.gather(*(task for _, task in left), return_exceptions=True)
        with suppress(StoreUnavailable, TimeoutError):
            async with asyncio.timeout(FAREWELL_S), connected(self._url) as connection:
                await self._settle(connection)
                for job, _ in left:
                    await connection.hand_back(job, 0)
