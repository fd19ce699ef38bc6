"""A worker that outlives its leases, its store, and the debates that kill it.

What the plain worker leaves to whoever starts it again:

1. Its leases ran out, because the store was away or the process slept: it comes back, under
   another name if somebody has taken over one of its debates.
2. A debate could not be given back: it is, as soon as the store can be reached. What a living
   worker holds nobody else takes.
3. A debate kills whoever runs it: after MOST_DEATHS it is recorded as failed. How innocent debates
   that died with it are told from it: `moot.engine.company`.
4. A job came for a debate that has nothing to run: it is left alone.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from contextlib import suppress
from types import TracebackType
from typing import Any

from moot.engine.company import MOST_DEATHS
from moot.engine.worker import Worker
from moot.errors import LeaseLost, StoreUnavailable
from moot.protocol import events as e
from moot.protocol.folding import fold
from moot.protocol.state import DebateState
from moot.protocol.words import Status
from moot.store.port import Lease
from moot.store.worker_identity import this_worker

log = logging.getLogger(__name__)

AGAIN_S = 1.0


class _NothingToRun(Exception):
    """The debate is over, stopped, failed, or waits for people."""


class SteadyWorker(Worker):
    def __init__(self, **parts: Any) -> None:
        super().__init__(**parts)
        self._releasing: set[asyncio.Task[None]] = set()
        self._reviving = asyncio.Lock()

    @property
    def held(self) -> Collection[str]:
        """The debates that are being run here."""
        return self._leases.keys()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for task in self._releasing:
            task.cancel()
        with suppress(StoreUnavailable):  # the leases run out by themselves
            await super().__aexit__(kind, error, trace)

    async def advance(self, debate_id: str) -> DebateState:
        try:
            return await super().advance(debate_id)
        except _NothingToRun:
            return fold(await self._store.read(debate_id))

    async def _claim(self, debate_id: str) -> Lease:
        try:
            lease = await super()._claim(debate_id)
        except LeaseLost:
            await self._revive()
            lease = await super()._claim(debate_id)
        try:
            await self._consider(lease)
        except BaseException:
            await self._release(lease)
            raise
        return lease

    async def _consider(self, lease: Lease) -> None:
        """Raise _NothingToRun if so; asked now that it is ours, for others might finish it."""
        if lease.deaths >= MOST_DEATHS and await self._gives_up(lease):
            # Even if it was retried in this moment: the count began anew, and the lease is of old.
            raise _NothingToRun
        summary = await self._store.summary(lease.debate_id)
        is_due = summary.wake_at is not None and summary.wake_at <= self._clock.now()
        if not summary.status.is_active and not is_due:
            raise _NothingToRun

    # --- leases that ran out, and leases that stay ---

    async def _revive(self) -> None:
        async with self._reviving:
            try:
                await self._store.enlist(self.id, ttl_s=self._ttl_s)
            except LeaseLost:
                self._abandon()
                if self._keeper is not None:
                    self._keeper.stop()
                self.id = this_worker()
                await super().__aenter__()
                log.warning("worker renamed", extra={"worker": self.id.id})

    async def _release(self, lease: Lease) -> None:
        try:
            await super()._release(lease)
        except StoreUnavailable:
            self._release_later(lease)

    def _release_later(self, lease: Lease) -> None:
        task = asyncio.create_task(self._release_until_done(lease))
        self._releasing.add(task)
        task.add_done_callback(self._releasing.discard)

    async def _release_until_done(self, lease: Lease) -> None:
        while True:
            await self._clock.sleep(AGAIN_S)
            with suppress(StoreUnavailable):
                return await self._store.release(lease)

    # --- debates that kill ---

    async def _gives_up(self, lease: Lease) -> bool:
        """Fail the debate, unless nothing of it would be run. A person's retry counts anew."""
        debate_id = lease.debate_id
        state = fold(await self._store.read(debate_id))
        if state.status is not Status.RUNNING:
            return False
        event = e.DebateFailed(
            code="crash_loop",
            error=f"{lease.deaths} workers in a row died while they ran this debate",
        )
        record = e.Recorded(state.seq + 1, self._clock.now(), event)
        cursor = (await self._store.summary(debate_id)).cursor
        state.apply(record)
        await self._store.append([record], state.summary(debate_id, cursor), fence=lease.fence)
        self._feed.publish(debate_id, [record])
        log.error("crash loop", extra={"debate": debate_id, "worker": self.id.id})
        return True
