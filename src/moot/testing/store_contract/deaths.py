"""The count of workers that died of a debate: what raises it, and what starts it anew."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from moot.errors import LeaseLost, NotFound
from moot.protocol.events import (
    AnyEvent,
    AttemptFailed,
    DebateFailed,
    DebateRecovered,
    DebateRenamed,
    StageEntered,
)
from moot.protocol.words import Status
from moot.store.port import SUSPECT_AFTER, Custody, Lease, Store
from moot.store.rows import CRASH_LOOP
from moot.testing.store_contract.leases import holding, run_out
from moot.testing.store_contract.samples import (
    Stores,
    at,
    begin,
    record,
    said,
    summary,
    turn,
    worker,
)

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


async def suspected(store: Store) -> Lease:
    """A lease of a debate that has killed enough workers to be a suspect; none of them is there."""
    await begin(store, "d")
    for number in range(SUSPECT_AFTER):
        await dying(store, f"w{number}")
    lease = await holding(store, "parent")
    assert lease.deaths == SUSPECT_AFTER
    return lease


class DeathContract(Stores):
    async def test_counts_who_had_begun_and_was_not_heard_of_again(self, store: Store) -> None:
        await begin(store, "d")
        deaths = [(await dying(store, f"w{number}")).deaths for number in range(3)]
        assert deaths == [0, 1, 2]
        await store.retire("w2")
        assert (await holding(store, "last")).deaths == 3

    async def test_counts_no_more_of_them_than_make_it_a_suspect(self, store: Store) -> None:
        await begin(store, "d")
        deaths = [(await dying(store, f"w{number}")).deaths for number in range(6)]
        assert deaths == [0, 1, 2, SUSPECT_AFTER, SUSPECT_AFTER, SUSPECT_AFTER]

    async def test_counts_a_suspects_own_deaths_one_by_one(self, store: Store) -> None:
        lease = await suspected(store)
        assert await store.quarantined() == 1
        for number in range(1, 4):
            # It is counted once, however often it is told.
            await store.count_death(lease, next_try_at=at(number))
            await store.count_death(lease, next_try_at=at(99))
            lease = await holding(store, "parent")
            assert lease.deaths == SUSPECT_AFTER + number
        # If the parent, which only has it tried, dies as well, that says nothing about the debate.
        await run_out(store, "parent")
        assert (await holding(store, "v")).deaths == SUSPECT_AFTER + 3

    async def test_a_title_makes_no_suspect_innocent(self, store: Store) -> None:
        lease = await suspected(store)
        failed = record(2, DebateFailed(error="it dies", code=CRASH_LOOP))
        await store.append([failed], summary("d", 2, status=Status.FAILED), fence=lease.fence)
        renamed = summary("d", 3, status=Status.FAILED, title="Ours")
        await store.append([record(3, DebateRenamed(title="Ours"))], renamed)
        assert (await store.custody("d")).deaths == SUSPECT_AFTER

    async def test_counts_no_death_after_progress_or_of_a_lease_of_old(self, store: Store) -> None:
        lease = await suspected(store)
        await store.append([turn(2, "a")], summary("d", 2), fence=lease.fence)
        await store.count_death(lease, next_try_at=at(1))
        assert await store.quarantined() == 0
        lease = await holding(store, "parent")
        assert lease.deaths == 1
        await holding(store, "parent")
        await store.count_death(lease, next_try_at=at(1))
        assert (await store.custody("d")).deaths == 1

    async def test_tells_who_has_it_and_how_often_that_came_to_a_bad_end(
        self, store: Store
    ) -> None:
        with pytest.raises(NotFound):
            await store.custody("d")
        await begin(store, "d")
        assert await store.custody("d") == Custody()
        lease = await holding(store, "w")
        found = await store.custody("d")
        assert (found.holder, found.is_current, found.deaths) == (worker("w"), True, 0)
        assert found.since is not None
        assert abs(found.since - datetime.now(UTC)) < timedelta(minutes=5)
        await run_out(store, "w")
        found = await store.custody("d")
        assert (found.holder, found.is_current) == (worker("w"), False)
        await store.release(lease)
        assert (await store.custody("d")).holder is None

    async def test_tells_when_a_suspect_is_tried_again(self, store: Store) -> None:
        lease = await suspected(store)
        assert (await store.custody("d")).next_try_at is None
        await store.count_death(lease, next_try_at=at(7))
        found = await store.custody("d")
        assert (found.deaths, found.next_try_at) == (SUSPECT_AFTER + 1, at(7))

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
        for name in ("t", "u"):
            await dying(store, name)
        lease = await holding(store, "v")
        assert lease.deaths == 2
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
        # The worker got further, and then died.
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
        lease = await suspected(store)
        failed = record(2, DebateFailed(error="no credit", code="quota"))
        await store.append([failed], summary("d", 2, status=Status.FAILED), fence=lease.fence)
        await store.release(lease)
        await store.append([record(3)], summary("d", 3))
        assert (await holding(store, "last")).deaths == 0

    async def test_stays_a_suspect_if_that_is_why_it_was_given_up(self, store: Store) -> None:
        lease = await suspected(store)
        await store.count_death(lease, next_try_at=at(1))
        failed = record(2, DebateFailed(error="they died", code=CRASH_LOOP))
        await store.append([failed], summary("d", 2, status=Status.FAILED), fence=lease.fence)
        await store.release(lease)
        assert await store.quarantined() == 0
        await store.append([record(3)], summary("d", 3))
        assert (await holding(store, "last")).deaths == SUSPECT_AFTER
