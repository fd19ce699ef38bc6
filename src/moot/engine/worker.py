"""Owns debates by lease and advances them: any number at once, in one event loop."""

from __future__ import annotations

import asyncio
import logging
from types import TracebackType
from typing import Self

from moot.engine import failpoints
from moot.engine.clock import Clock
from moot.engine.company import Company
from moot.engine.feed import Feed
from moot.engine.leases import TTL_S, LeaseKeeper
from moot.engine.performer import Performer
from moot.engine.runner import Runner
from moot.errors import Busy, LeaseLost
from moot.protocol.state import DebateState
from moot.store.port import Lease, Store
from moot.store.worker_identity import is_gone, this_worker

log = logging.getLogger(__name__)


class Worker:
    """An async context manager: enlisted while inside, retired on the way out."""

    def __init__(
        self,
        *,
        store: Store,
        performer: Performer,
        feed: Feed,
        clock: Clock,
        ttl_s: float = TTL_S,
    ) -> None:
        self.id = this_worker()
        self._store = store
        self._performer = performer
        self._feed = feed
        self._clock = clock
        self._ttl_s = ttl_s
        self._company = Company()
        self._advancing: set[str] = set()
        self._leases: dict[str, Lease] = {}
        self._runners: dict[str, Runner] = {}
        self._running: set[asyncio.Task[DebateState]] = set()
        self._keeper: LeaseKeeper | None = None

    async def __aenter__(self) -> Self:
        await self._store.enlist(self.id, ttl_s=self._ttl_s)
        loop = asyncio.get_running_loop()
        self._keeper = LeaseKeeper(
            self._store,
            self.id,
            lambda: loop.call_soon_threadsafe(self._abandon),
            ttl_s=self._ttl_s,
        )
        self._keeper.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._abandon()
        if self._running:
            await asyncio.wait(self._running)
        if self._keeper is not None:
            await asyncio.to_thread(self._keeper.close)
        await self._store.retire(self.id.id)

    async def advance(self, debate_id: str) -> DebateState:
        """Run the debate until it is over, stopped, failed, or waits for people.

        Raises Busy if a living worker has it, here or elsewhere.
        """
        if debate_id in self._advancing:
            message = f"debate {debate_id} is already being run by this process"
            raise Busy(message)
        # Before the first await: a second claim of our own would succeed, and void the first.
        self._advancing.add(debate_id)
        try:
            return await self._advance(debate_id)
        finally:
            self._advancing.discard(debate_id)

    async def _advance(self, debate_id: str) -> DebateState:
        self._leases[debate_id] = await self._claim(debate_id)
        failpoints.reach("claimed")
        task = asyncio.create_task(self._run(debate_id))
        self._running.add(task)
        try:
            return await self._finished(task, debate_id)
        finally:
            task.cancel()
            await asyncio.wait([task])
            self._running.discard(task)
            await self._release(self._leases.pop(debate_id))

    async def _run(self, debate_id: str) -> DebateState:
        lease = self._leases[debate_id]
        seat = await self._company.join(lease.deaths)
        try:
            # Only now, so that who waits for a seat is not counted among the suspects.
            lease = self._leases[debate_id] = await self._store.begin(lease)
            runner = self._runners[debate_id] = Runner(
                lease=lease,
                seat=seat,
                store=self._store,
                performer=self._performer,
                feed=self._feed,
                clock=self._clock,
            )
            return await runner.run()
        finally:
            self._runners.pop(debate_id, None)
            seat.leave()

    async def _release(self, lease: Lease) -> None:
        await self._store.release(lease)

    async def _finished(self, task: asyncio.Task[DebateState], debate_id: str) -> DebateState:
        # Waited for from outside, so that losing the leases ends the task and not the caller.
        await asyncio.wait([task])
        if not task.cancelled() and not isinstance(task.exception(), LeaseLost):
            return task.result()
        message = f"debate {debate_id} was taken over by another worker, or this one is closing"
        raise Busy(message)

    def poke(self, debate_id: str) -> None:
        """Tell the debate's runner, if it is here, that the log has grown."""
        runner = self._runners.get(debate_id)
        if runner is not None:
            runner.poke()

    def hurry(self, debate_id: str) -> None:
        """Abort what is in flight if the debate is stopping."""
        runner = self._runners.get(debate_id)
        if runner is not None:
            runner.hurry()

    async def bury(self) -> None:
        """Retire every worker whose process is known to be gone, so that others get its debates.

        Only processes of this machine can be seen; the leases of others run out by themselves.
        """
        for other in await self._store.workers():
            if other.id != self.id.id and is_gone(other):
                log.info("worker gone", extra={"worker": other.id})
                await self._store.retire(other.id)

    def _abandon(self) -> None:
        for task in self._running:
            task.cancel()

    async def _claim(self, debate_id: str) -> Lease:
        lease = await self._store.claim(debate_id, self.id.id)
        if lease is not None:
            return lease
        holder = await self._store.holder(debate_id)
        if holder is not None and is_gone(holder):
            # Its process is known to be dead: no need to wait for its leases to run out.
            log.info("worker gone", extra={"worker": holder.id, "debate": debate_id})
            await self._store.retire(holder.id)
            lease = await self._store.claim(debate_id, self.id.id)
            if lease is not None:
                return lease
        where = f" (process {holder.pid})" if holder is not None else ""
        message = (
            f"debate {debate_id} is being run by another worker{where}; let it finish or stop it"
        )
        raise Busy(message)
