"""The count of workers that died of a debate: what raises it, and what starts it anew."""

from __future__ import annotations

import pytest

from moot.errors import LeaseLost
from moot.protocol.events import (
    AnyEvent,
    AttemptFailed,
    DebateFailed,
    DebateRecovered,
    StageEntered,
)
from moot.protocol.words import Status
from moot.store.port import Lease, Store
from moot.testing.store_contract.leases import holding, run_out
from moot.testing.store_contract.samples import begin, record, said, summary, turn
from moot.testing.store_contract.stores import Stores

STANDSTILL: tuple[AnyEvent, ...] = (
    DebateRecovered(),
    StageEntered(stage="exchange", round=1, by="opened"),
    AttemptFailed(attempt_of="a", attempt=1, code="unavailable", error="not now"),
)


async def dying(store: Store, name: str) -> Lease:
    """A lease of a worker that has begun, and is never heard of again."""
    lease = await store.begin(await holding(store, name))
    await run_out(store, name)
    return lease


class DeathContract(Stores):
    async def test_counts_who_had_begun_and_was_not_heard_of_again(self, store: Store) -> None:
        await begin(store, "d")
        deaths = [(await dying(store, f"w{number}")).deaths for number in range(4)]
        assert deaths == [0, 1, 2, 3]
        await store.retire("w3")
        assert (await holding(store, "last")).deaths == 4

    async def test_does_not_count_who_had_not_begun(self, store: Store) -> None:
        await begin(store, "d")
        await dying(store, "w")
        for name in ("u", "v"):
            assert (await holding(store, name)).deaths == 1
            await run_out(store, name)
        assert (await holding(store, "last")).deaths == 1

    async def test_does_not_count_who_gave_it_back(self, store: Store) -> None:
        await begin(store, "d")
        await dying(store, "w")
        for has_begun in (True, False):
            lease = await holding(store, "v")
            await store.release(await store.begin(lease) if has_begun else lease)
            assert (await holding(store, "u")).deaths == 1
            await store.release(await holding(store, "u"))

    async def test_counts_a_beginning_once_however_often_it_is_told(self, store: Store) -> None:
        await begin(store, "d")
        lease = await holding(store, "w")
        assert not lease.has_begun
        for _ in range(3):
            assert (await store.begin(lease)).has_begun
        await run_out(store, "w")
        assert (await holding(store, "v")).deaths == 1

    async def test_counts_no_more_than_what_was_counted_anew_meanwhile(self, store: Store) -> None:
        await begin(store, "d")
        for name in ("s", "t", "u"):
            await dying(store, name)
        lease = await holding(store, "v")
        assert lease.deaths == 3
        await store.append([record(2)], summary("d", 2, status=Status.FAILED))
        await store.append([record(3)], summary("d", 3))
        await store.begin(lease)
        await run_out(store, "v")
        assert (await holding(store, "w")).deaths == 1

    async def test_lets_nobody_begin_whose_lease_was_taken(self, store: Store) -> None:
        await begin(store, "d")
        late = await holding(store, "late")
        await run_out(store, "late")
        await holding(store, "w")
        with pytest.raises(LeaseLost):
            await store.begin(late)
        await run_out(store, "w")
        assert (await holding(store, "last")).deaths == 0

    async def test_counts_anew_when_it_gets_any_further(self, store: Store) -> None:
        await begin(store, "d")
        await dying(store, "u")
        lease = await dying(store, "v")
        assert lease.deaths == 1
        await store.append([turn(2, "a")], summary("d", 2), fence=lease.fence)
        # That one got further, and then died.
        assert (await holding(store, "w")).deaths == 1

    async def test_counts_nothing_of_who_got_further_and_gave_it_back(self, store: Store) -> None:
        await begin(store, "d")
        await dying(store, "u")
        lease = await store.begin(await holding(store, "v"))
        await store.append([turn(2, "a")], summary("d", 2), fence=lease.fence)
        await store.release(lease)
        assert (await holding(store, "w")).deaths == 0

    async def test_takes_no_standstill_for_progress(self, store: Store) -> None:
        await begin(store, "d")
        await dying(store, "u")
        lease = await dying(store, "v")
        for seq, event in enumerate(STANDSTILL, 2):
            await store.append([record(seq, event)], summary("d", seq), fence=lease.fence)
        # Nor what people say meanwhile.
        await store.append([said(5, "Well?")], summary("d", 5))
        assert (await holding(store, "w")).deaths == 2

    async def test_forgets_all_when_there_is_nothing_to_run(self, store: Store) -> None:
        await begin(store, "d")
        for name in ("s", "t", "u", "v"):
            await dying(store, name)
        lease = await holding(store, "w")
        assert lease.deaths == 4
        failed = record(2, DebateFailed(error="they died", code="crash_loop"))
        await store.append([failed], summary("d", 2, status=Status.FAILED), fence=lease.fence)
        await store.release(lease)
        await store.append([record(3)], summary("d", 3))
        assert (await holding(store, "last")).deaths == 0
