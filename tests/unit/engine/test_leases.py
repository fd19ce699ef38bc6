"""The thread that keeps a worker's leases alive."""

from __future__ import annotations

import threading
import time

from tests.unit.engine.memory_store import MemoryStore

from moot.engine.leases import LeaseKeeper
from moot.errors import LeaseLost, StoreUnavailable
from moot.store.port import WorkerId

WORKER = WorkerId(id="w1", machine="here", pid=1, started="then")
TTL_S = 0.02


class CountingStore(MemoryStore):
    """Fails as planned, and says when it has been asked so often."""

    def __init__(self, *plan: Exception | None) -> None:
        super().__init__(time.monotonic)
        self.plan = list(plan)
        self.calls = 0
        self.enough = threading.Event()
        self.wanted = 3

    def enlist_blocking(self, worker: WorkerId, *, ttl_s: float) -> None:
        self.calls += 1
        if self.calls >= self.wanted:
            self.enough.set()
        error = self.plan.pop(0) if self.plan else None
        if error is not None:
            raise error
        super().enlist_blocking(worker, ttl_s=ttl_s)


def _kept(store: CountingStore) -> list[str]:
    lost: list[str] = []
    keeper = LeaseKeeper(
        store,
        WORKER,
        on_lost=lambda: lost.append("lost"),
        on_died=lambda error: lost.append(f"died: {error}"),
        ttl_s=TTL_S,
    )
    keeper.start()
    try:
        assert store.enough.wait(timeout=10)
    finally:
        keeper.close()
    return lost


async def test_renews_while_the_event_loop_is_blocked() -> None:
    # This very coroutine blocks its loop until the thread has renewed three times.
    store = CountingStore()
    assert _kept(store) == []
    assert store.renewals >= 3


def test_tries_again_when_the_store_is_away() -> None:
    store = CountingStore(StoreUnavailable("locked"), StoreUnavailable("locked"))
    assert _kept(store) == []
    assert store.renewals >= 1


def test_says_once_that_the_leases_are_lost_and_renews_no_more() -> None:
    store = CountingStore(None, None, LeaseLost("taken over"))
    assert _kept(store) == ["lost"]
    assert store.calls == 3


def test_tells_what_it_died_of() -> None:
    store = CountingStore(None, None, ZeroDivisionError("a mistake of ours"))
    assert _kept(store) == ["died: a mistake of ours"]
    assert store.calls == 3


def test_closing_ends_the_thread() -> None:
    store = CountingStore()
    keeper = LeaseKeeper(store, WORKER, on_lost=lambda: None, on_died=lambda _error: None, ttl_s=60)
    keeper.start()
    keeper.close()
    assert store.calls == 0
    assert not [one for one in threading.enumerate() if one.name == "moot-leases"]
