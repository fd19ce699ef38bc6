"""Leases: who may work on a debate, and how a late writer is kept out.

A worker runs out here by being enlisted for no time at all, so that no test has to wait.
"""

from __future__ import annotations

import asyncio
import threading
from datetime import timedelta, timezone

import pytest

from moot.errors import LeaseLost, NotFound
from moot.protocol.words import Status
from moot.store.port import Lease, Store
from moot.testing.store_contract.samples import (
    Stores,
    at,
    begin,
    outcome,
    record,
    said,
    summary,
    worker,
)


async def holding(store: Store, name: str, debate_id: str = "d") -> Lease:
    """A lease of an enlisted worker."""
    await store.enlist(worker(name), ttl_s=60)
    lease = await store.claim(debate_id, name)
    assert lease is not None
    return lease


async def run_out(store: Store, name: str) -> None:
    await store.enlist(worker(name), ttl_s=0)


class LeaseContract(Stores):
    async def test_gives_a_free_debate_to_who_asks(self, store: Store) -> None:
        await begin(store, "d")
        assert await store.holder("d") is None
        assert await holding(store, "w") == Lease(debate_id="d", worker_id="w", fence=1)
        assert await store.holder("d") == worker("w")

    async def test_knows_all_workers_until_they_are_retired(self, store: Store) -> None:
        assert await store.workers() == []
        await store.enlist(worker("v"), ttl_s=60)
        await run_out(store, "w")
        assert {one.id for one in await store.workers()} == {"v", "w"}
        await store.retire("w")
        assert await store.workers() == [worker("v")]

    async def test_knows_whether_any_of_them_is_alive(self, store: Store) -> None:
        assert not await store.has_worker()
        await run_out(store, "w")
        assert not await store.has_worker()
        await store.enlist(worker("v"), ttl_s=60)
        assert await store.has_worker()
        await store.retire("v")
        assert not await store.has_worker()

    async def test_raises_the_fence_with_every_claim(self, store: Store) -> None:
        await begin(store, "d")
        first, second = await holding(store, "w"), await holding(store, "w")
        assert (first.fence, second.fence) == (1, 2)
        with pytest.raises(LeaseLost):
            await store.append([record(2)], summary("d", 2), fence=first.fence)
        await store.append([record(2)], summary("d", 2), fence=second.fence)

    async def test_keeps_a_debate_for_a_living_holder(self, store: Store, other: Store) -> None:
        await begin(store, "d")
        lease = await holding(store, "w")
        await other.enlist(worker("v"), ttl_s=60)
        assert await other.claim("d", "v") is None
        assert await other.holder("d") == worker("w")
        await store.append([record(2)], summary("d", 2), fence=lease.fence)

    async def test_keeps_the_lease_over_appends_repairs_and_renewals(self, store: Store) -> None:
        await begin(store, "d")
        lease = await holding(store, "w")
        await store.append([record(2)], summary("d", 2), fence=lease.fence)
        assert await store.repair(summary("d", 2, turns=9))
        await store.enlist(worker("w"), ttl_s=60)
        await asyncio.to_thread(store.enlist_blocking, worker("w"), ttl_s=60)
        assert await store.holder("d") == worker("w")
        await store.append([record(3)], summary("d", 3), fence=lease.fence)

    async def test_refuses_a_claim_of_an_unknown_debate(self, store: Store) -> None:
        await store.enlist(worker("w"), ttl_s=60)
        with pytest.raises(NotFound):
            await store.claim("nobody", "w")
        assert await store.holder("nobody") is None

    async def test_refuses_a_claim_by_a_worker_that_is_not_alive(self, store: Store) -> None:
        await begin(store, "d")
        await begin(store, "held")
        await holding(store, "other", "held")
        await run_out(store, "late")
        for name in ("unknown", "late"):
            for debate_id in ("d", "held"):
                with pytest.raises(LeaseLost):
                    await store.claim(debate_id, name)
        assert await store.holder("d") is None
        assert (await holding(store, "w")).fence == 1

    async def test_gives_the_debate_of_a_worker_that_ran_out_to_another(self, store: Store) -> None:
        await begin(store, "d")
        late = await holding(store, "late")
        await run_out(store, "late")
        assert await store.holder("d") is None
        lease = await holding(store, "w")
        assert lease.fence == late.fence + 1
        with pytest.raises(LeaseLost):
            await store.append([record(2)], summary("d", 2), fence=late.fence)
        assert len(await store.read("d")) == 1
        await store.append([record(2)], summary("d", 2), fence=lease.fence)

    async def test_lets_a_worker_that_ran_out_come_back_if_it_lost_nothing(
        self, store: Store
    ) -> None:
        await begin(store, "d")
        lease = await holding(store, "w")
        await run_out(store, "w")
        await store.enlist(worker("w"), ttl_s=60)
        assert await store.holder("d") == worker("w")
        await store.append([record(2)], summary("d", 2), fence=lease.fence)

    async def test_does_not_let_a_worker_come_back_that_lost_a_debate(self, store: Store) -> None:
        await begin(store, "d")
        await begin(store, "kept")
        await holding(store, "late")
        await holding(store, "late", "kept")
        await run_out(store, "late")
        await holding(store, "w")
        for _ in range(2):
            with pytest.raises(LeaseLost):
                await store.enlist(worker("late"), ttl_s=60)
            with pytest.raises(LeaseLost):
                await asyncio.to_thread(store.enlist_blocking, worker("late"), ttl_s=60)
        assert await store.holder("d") == worker("w")
        assert await store.holder("kept") is None

    async def test_enlists_from_a_thread_while_the_loop_is_blocked(self, store: Store) -> None:
        await begin(store, "d")
        await holding(store, "w")
        await run_out(store, "w")
        _in_a_thread_while_this_one_waits(store, "w")
        assert await store.holder("d") == worker("w")

    async def test_gives_a_released_debate_to_the_next(self, store: Store) -> None:
        await begin(store, "d")
        lease = await holding(store, "w")
        await store.release(lease)
        assert await store.holder("d") is None
        assert (await holding(store, "v")).fence == 2

    async def test_does_not_release_what_another_has_taken(self, store: Store) -> None:
        await begin(store, "d")
        late = await holding(store, "late")
        await run_out(store, "late")
        await holding(store, "w")
        await store.release(late)
        assert await store.holder("d") == worker("w")

    async def test_frees_all_debates_of_a_retired_worker(self, store: Store) -> None:
        for name in ("d", "e", "f"):
            await begin(store, name)
        await holding(store, "w", "d")
        await holding(store, "w", "e")
        await holding(store, "v", "f")
        await store.retire("w")
        await store.retire("nobody")
        assert [await store.holder(name) for name in "def"] == [None, None, worker("v")]
        assert await outcome(store.claim("d", "w")) == "lease_lost"
        assert (await holding(store, "v", "d")).fence == 2

    async def test_frees_what_its_workers_hold_when_it_is_closed(
        self, store: Store, other: Store
    ) -> None:
        await begin(store, "d")
        await begin(store, "e")
        await holding(store, "w")
        await holding(other, "v", "e")
        await store.close()
        assert await other.holder("d") is None
        assert await other.holder("e") == worker("v")

    async def test_lists_running_debates_that_nobody_holds(self, store: Store) -> None:
        for status in Status:
            await begin(store, status.value, status=status)
        await begin(store, "held")
        await holding(store, "w", "held")
        await begin(store, "lost")
        await holding(store, "late", "lost")
        await run_out(store, "late")
        assert set(await store.abandoned()) == {"running", "stopping", "lost"}
        assert len(await store.abandoned(limit=2)) == 2
        await store.retire("w")
        assert "held" in await store.abandoned()

    async def test_lists_what_waits_and_is_due_the_longest_overdue_first(
        self, store: Store
    ) -> None:
        waiting = {"status": Status.WAITING}
        await begin(store, "later", **waiting, wake_at=at(90))
        await begin(store, "second", **waiting, wake_at=at(40))
        await begin(
            store, "first", **waiting, wake_at=at(30).astimezone(timezone(timedelta(hours=9)))
        )
        await begin(store, "patient", **waiting)
        await begin(store, "running", wake_at=at(30))
        assert await store.due(at(30)) == ["first"]
        assert await store.due(at(30) - timedelta(microseconds=1)) == []
        assert await store.due(at(60)) == ["first", "second"]
        assert await store.due(at(60), limit=1) == ["first"]
        assert (await store.summary("first")).wake_at == at(30)

    async def test_forgets_that_a_debate_is_due_when_it_goes_on(self, store: Store) -> None:
        await begin(store, "d", status=Status.WAITING, wake_at=at(30))
        await store.append([said(2, "hm")], summary("d", 2))
        assert await store.due(at(60)) == []
        assert (await store.summary("d")).wake_at is None
        await store.append([said(3, "hm")], summary("d", 3, status=Status.WAITING, wake_at=at(50)))
        assert await store.due(at(60)) == ["d"]
        await store.repair(summary("d", 3, status=Status.WAITING))
        assert await store.due(at(60)) == []

    async def test_forgets_the_lease_of_a_deleted_debate(self, store: Store) -> None:
        await begin(store, "d")
        lease = await holding(store, "w")
        await store.delete("d")
        assert await store.holder("d") is None
        await store.release(lease)
        assert await store.abandoned() == []


def _in_a_thread_while_this_one_waits(store: Store, name: str) -> None:
    thread = threading.Thread(
        target=store.enlist_blocking, args=(worker(name),), kwargs={"ttl_s": 60}
    )
    thread.start()
    thread.join()
