"""Owns debates by lease and advances them: any number at once, in one event loop.

Whether a debate has something to run is decided by its log, never by the row that is kept beside
it. A worker outlives its leases, its store, and the debates that kill it:

1. Its leases ran out, because the store was away or the process slept: it comes back, under
   another name if somebody has taken over one of its debates.
2. A debate could not be given back: that is done as soon as the store can be reached, because
   nobody else takes what a living worker holds.
3. A debate kills whoever runs it: it is tried in a process of its own, and recorded as failed if
   that dies MOST_DEATHS times in a row (`moot.engine.quarantine`).
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from datetime import timedelta
from types import TracebackType
from typing import Self

import msgspec

from moot.engine import failpoints, ward
from moot.engine.clock import Clock
from moot.engine.leases import TTL_S, LeaseKeeper
from moot.engine.live import LiveDebate
from moot.engine.live_debates import LiveDebates
from moot.engine.people import is_due
from moot.engine.performer import Performer
from moot.engine.quarantine import (
    LIVED_ON_S,
    MOST_DEATHS,
    Quarantine,
    Trial,
    how_it_died,
    pause_s,
)
from moot.engine.runner import Runner
from moot.errors import Busy, LeaseLost, NotFound, StoreError, StoreUnavailable
from moot.protocol import events as e
from moot.protocol.deciding import INTERNAL, cursor_at
from moot.protocol.registry import format_named
from moot.protocol.state import DebateState
from moot.protocol.words import Status
from moot.store.port import SUSPECT_AFTER, Lease, Store
from moot.store.rows import CRASH_LOOP, is_progress
from moot.store.worker_identity import is_gone, this_worker

log = logging.getLogger(__name__)

AGAIN_S = 1.0
FAREWELL_S = 1.5
"""How much of the time that a process has to leave is kept for recording the last replies and
giving debates back; less if there is not much time at all. The rest is for the calls under way."""
LEAST_FOR_CALLS = 0.8


class Worker:
    """An async context manager: enlisted while inside, retired on the way out."""

    def __init__(
        self,
        *,
        store: Store,
        live: LiveDebates,
        performer: Performer,
        clock: Clock,
        quarantine: Quarantine | None = None,
        ttl_s: float = TTL_S,
    ) -> None:
        """Without a quarantine, no debate ever fails for the deaths of workers."""
        self.id = this_worker()
        self._store = store
        self._live = live
        self._performer = performer
        self._clock = clock
        self._ttl_s = ttl_s
        self._quarantine = quarantine
        self._advancing: set[str] = set()
        self._let_go: set[str] = set()
        self._leases: dict[str, Lease] = {}
        self._runners: dict[str, Runner | Trial] = {}
        self._running: set[asyncio.Task[DebateState]] = set()
        self._releasing: set[asyncio.Task[None]] = set()
        self._reviving = asyncio.Lock()
        self._keeper: LeaseKeeper | None = None
        self.is_draining = False
        """Whether it begins nothing any more, because its process is leaving."""
        self._died: asyncio.Future[None] | None = None

    async def __aenter__(self) -> Self:
        self._died = asyncio.get_running_loop().create_future()
        await self._enlist()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for task in self._releasing:
            task.cancel()
        self._abandon()
        if self._running:
            await asyncio.wait(self._running)
        if self._quarantine is not None:
            await self._quarantine.close()
        if self._keeper is not None:
            await asyncio.to_thread(self._keeper.close)
        with suppress(StoreUnavailable):  # the leases run out by themselves
            await self._store.retire(self.id.id)

    async def run(self) -> None:
        """Wait until cancelled. Raises what the thread that keeps the leases died of."""
        assert self._died is not None, "not entered"  # noqa: S101 - a mistake in the wiring
        await self._died

    @property
    def is_kept(self) -> bool:
        """Whether the last renewal of the leases succeeded: if not, nothing can be written."""
        return self._keeper is not None and self._keeper.is_keeping

    async def _enlist(self) -> None:
        await self._store.enlist(self.id, ttl_s=self._ttl_s)
        loop = asyncio.get_running_loop()
        self._keeper = LeaseKeeper(
            self._store,
            self.id,
            on_lost=lambda: loop.call_soon_threadsafe(self._abandon),
            on_died=lambda error: loop.call_soon_threadsafe(self._die, error),
            ttl_s=self._ttl_s,
        )
        self._keeper.start()

    def _die(self, error: BaseException) -> None:
        if self._died is not None and not self._died.done():
            self._died.set_exception(error)

    # --- advancing ---

    async def advance(self, debate_id: str) -> DebateState:
        """Run a debate until it is over, stopped, failed, or waits for people.

        A debate that has nothing to run is returned as it is. Raises Busy if a living worker has
        it, here or elsewhere, or if this one is leaving.
        """
        if self.is_draining:
            message = f"debate {debate_id} is left to other workers: this process is shutting down"
            raise Busy(message)
        if debate_id in self._advancing:
            message = f"debate {debate_id} is already being run by this process"
            raise Busy(message)
        # Before the first await: a second claim of our own would succeed, and void the first.
        self._advancing.add(debate_id)
        try:
            return await self._advance(debate_id)
        finally:
            self._advancing.discard(debate_id)
            self._let_go.discard(debate_id)

    async def _advance(self, debate_id: str) -> DebateState:
        self._leases[debate_id] = await self._claim_or_revive(debate_id)
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

    async def _finished(self, task: asyncio.Task[DebateState], debate_id: str) -> DebateState:
        # Waited for from outside, so that losing the leases ends the task and not the caller.
        await asyncio.wait([task])
        if not task.cancelled() and not isinstance(task.exception(), LeaseLost):
            return task.result()
        message = f"debate {debate_id} was taken over by another worker, or this one is closing"
        raise Busy(message)

    async def _run(self, debate_id: str) -> DebateState:
        # Read now that it is ours: others might have finished it before.
        async with self._live.open(debate_id) as live:
            if self._quarantine is not None and await self._is_through(live, self._quarantine):
                # Even if it was retried meanwhile: the count began anew, but the lease is old.
                await live.catch_up()
                return live.state.copy()
            if not self._has_work(live.state):
                await live.row()  # so that nobody is sent here again by a row that is wrong
                return live.state.copy()
            return await self._run_held(live)

    def _has_work(self, state: DebateState) -> bool:
        is_late = state.status is Status.WAITING and is_due(state, self._clock.now())
        return state.status.is_active or is_late

    async def _run_held(self, live: LiveDebate) -> DebateState:
        lease = self._leases[live.id] = await self._store.begin(self._leases[live.id])
        runner = self._runners[live.id] = Runner(
            lease=lease,
            live=live,
            store=self._store,
            performer=self._performer,
            clock=self._clock,
        )
        try:
            if self._is_leaving(live.id):  # since it was claimed
                runner.drain()
            return await runner.run()
        except (StoreError, NotFound):  # it was taken over, or deleted, or the store is away
            raise
        except Exception as error:
            # Whoever tried again would buy the same replies again, every few seconds.
            log.exception("run broke", extra={"debate": live.id})
            message = f"internal error: {type(error).__name__}: {error}"
            await live.catch_up()
            if live.status is Status.RUNNING:
                await self._fail(live, lease, e.DebateFailed(error=message, code=INTERNAL))
            return live.state.copy()
        finally:
            self._runners.pop(live.id, None)

    @property
    def waiting(self) -> int:
        """How many of its debates wait for a provider."""
        return sum(runner.is_waiting for runner in self._runners.values())

    # --- leaving ---

    @property
    def calls(self) -> int:
        """How many calls are under way."""
        return sum(runner.calls for runner in self._runners.values())

    def calls_of(self, debate_id: str) -> int:
        """How many calls of that debate are under way."""
        runner = self._runners.get(debate_id)
        return runner.calls if runner is not None else 0

    def pause(self, debate_id: str) -> None:
        """Begin no more calls of a debate that will be stopped when those under way are over."""
        runner = self._runners.get(debate_id)
        if runner is not None:
            runner.drain(is_stopped_next=True)

    def let_go(self, debate_id: str) -> None:
        """Begin no more calls of a debate, and give it back when those under way are recorded."""
        if debate_id in self._advancing:
            self._let_go.add(debate_id)
            runner = self._runners.get(debate_id)
            if runner is not None:
                runner.drain()

    def keep(self, debate_id: str) -> None:
        """Go on after all with a debate that was to be let go, unless it is too late for that."""
        self._let_go.discard(debate_id)
        runner = self._runners.get(debate_id)
        if runner is not None and not self.is_draining:
            runner.keep()

    def _is_leaving(self, debate_id: str) -> bool:
        """Whether no more calls of that debate are to begin here."""
        return self.is_draining or debate_id in self._let_go

    async def drain(self, grace_s: float) -> int:
        """Begin no more calls; return when those under way are recorded, or the grace is over.

        Every debate is given back as soon as its last call is over. Returns how many calls took
        longer, and were cut. All of it takes less than `grace_s`, unless the store hangs.
        """
        self.is_draining = True
        for runner in self._runners.values():
            runner.drain()
        calls_s = max(LEAST_FOR_CALLS * grace_s, grace_s - FAREWELL_S)
        await self._wait(calls_s)
        cut = self.calls
        for runner in self._runners.values():
            runner.hurry()
        await self._wait((grace_s - calls_s) / 2)
        return cut

    async def _wait(self, seconds: float) -> None:
        """Wait for whatever is being run here, but no longer than that."""
        if self._running:
            await asyncio.wait(self._running, timeout=seconds)

    def hurry(self, debate_id: str) -> None:
        """Abort what is in flight if the debate is stopping."""
        runner = self._runners.get(debate_id)
        if runner is not None:
            runner.hurry()

    # --- debates that kill ---

    async def _is_through(self, live: LiveDebate, quarantine: Quarantine) -> bool:
        """Try a suspect in processes of its own, until it gets further. True if nothing is left to
        do here, because it was failed or this process is leaving.

        A debate that is not running needs no step, so nobody can die of it.
        """
        last = ""
        while self._is_suspect(live):
            lease = self._leases[live.id]
            if self._is_leaving(live.id):
                return True
            if lease.deaths >= SUSPECT_AFTER + MOST_DEATHS:
                await self._fail(live, lease, _crash_loop(last))
                log.error("crash loop", extra={"debate": live.id, "worker": self.id.id})
                return True
            before = live.seq
            try:
                code, was_let_go = await self._try(live, lease, quarantine)
            except OSError:
                # Better to try it where all others run than not at all.
                log.exception("no process for quarantine", extra={"debate": live.id})
                return False
            await live.catch_up()
            died = ward.is_death(code)
            if code == ward.DONE and not was_let_go:  # perhaps it was made to leave as if in order
                died = await _is_stuck(live, after=before)
            if died:
                how = how_it_died(code or ward.DONE)
                last = f" (the last one by {how})"
                await self._count_death(lease, quarantine, how)
            # Claimed anew, so that each try has its own fence: nothing is left of the one before.
            lease = self._leases[live.id] = await self._claim(live.id)
            if code == ward.DONE and lease.deaths < SUSPECT_AFTER:
                # The child left in order: the claim that its progress left behind was no death.
                self._leases[live.id] = msgspec.structs.replace(lease, deaths=0)
            elif not died and self._is_suspect(live):
                await self._clock.sleep(AGAIN_S)
        return False

    def _is_suspect(self, live: LiveDebate) -> bool:
        deaths = self._leases[live.id].deaths
        return deaths >= SUSPECT_AFTER and live.status is Status.RUNNING

    async def _try(
        self, live: LiveDebate, lease: Lease, quarantine: Quarantine
    ) -> tuple[int | None, bool]:
        """How the process ended, and whether it was asked to."""
        trial = self._runners[live.id] = Trial(
            quarantine=quarantine, lease=lease, live=live, clock=self._clock
        )
        try:
            return await trial.run(), trial.was_let_go
        finally:
            self._runners.pop(live.id, None)

    async def _count_death(self, lease: Lease, quarantine: Quarantine, how: str) -> None:
        await self._clock.sleep(LIVED_ON_S)
        again = self._clock.now() + timedelta(
            seconds=pause_s(lease.deaths + 1, quarantine.pauses_s)
        )
        await self._store.count_death(lease, next_try_at=again)
        quarantine.counts["quarantine_deaths"] += 1
        extra = {"debate": lease.debate_id, "worker": self.id.id, "error": how}
        log.warning("died in quarantine", extra=extra)

    async def _fail(self, live: LiveDebate, lease: Lease, event: e.DebateFailed) -> None:
        await live.row()  # one that is wrong would refuse the append
        state = live.state.copy()
        now = self._clock.now()
        cursor = cursor_at(format_named(state.config.format), state, now)
        record = e.Recorded(state.seq + 1, now, event)
        state.apply(record)
        await live.append([record], state.summary(live.id, cursor), fence=lease.fence)

    # --- leases ---

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

    async def _claim_or_revive(self, debate_id: str) -> Lease:
        try:
            return await self._claim(debate_id)
        except LeaseLost:
            await self._revive()
            return await self._claim(debate_id)

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

    async def _revive(self) -> None:
        """Come back to life after the leases ran out, with another name if this one was taken."""
        async with self._reviving:
            try:
                await self._store.enlist(self.id, ttl_s=self._ttl_s)
            except LeaseLost:
                self._abandon()
                if self._keeper is not None:
                    self._keeper.stop()
                self.id = this_worker()
                await self._enlist()
                log.warning("worker renamed", extra={"worker": self.id.id})

    async def _release(self, lease: Lease) -> None:
        try:
            await self._store.release(lease)
        except StoreUnavailable:
            task = asyncio.create_task(self._release_until_done(lease))
            self._releasing.add(task)
            task.add_done_callback(self._releasing.discard)

    async def _release_until_done(self, lease: Lease) -> None:
        while True:
            await self._clock.sleep(AGAIN_S)
            with suppress(StoreUnavailable):
                return await self._store.release(lease)


async def _is_stuck(live: LiveDebate, *, after: int) -> bool:
    """Whether the debate is to go on, and has not got any further since that event."""
    return live.status is Status.RUNNING and not is_progress(await live.events(after=after))


def _crash_loop(last: str) -> e.DebateFailed:
    error = f"{MOST_DEATHS} processes in a row died that ran this debate and nothing else{last}"
    return e.DebateFailed(error=error, code=CRASH_LOOP)
