"""Several writers at once: exactly one wins, and nobody's failure is another's."""

from __future__ import annotations

import asyncio

from moot.store.port import Store
from moot.testing.store_contract.samples import (
    Stores,
    begin,
    created,
    outcomes,
    record,
    summary,
    turn,
    worker,
)


class RaceContract(Stores):
    async def test_lets_exactly_one_of_racing_appends_win(self, store: Store, other: Store) -> None:
        await begin(store, "d")
        calls = [
            each.append([turn(2, f"step/{number}", str(number))], summary("d", 2))
            for number in range(8)
            for each in (store, other)
        ]
        assert sorted(await outcomes(*calls)) == ["conflict"] * 15 + ["done"]
        assert len(await store.read("d")) == 2

    async def test_lets_exactly_one_of_racing_creations_win(
        self, store: Store, other: Store
    ) -> None:
        calls = [begin(each, "d") for each in (store, other) * 4]
        assert sorted(await outcomes(*calls)) == ["conflict"] * 7 + ["done"]
        assert await store.read("d") == [created()]

    async def test_lets_exactly_one_of_racing_claims_win(self, store: Store, other: Store) -> None:
        await begin(store, "d")
        names = [f"w{number}" for number in range(8)]
        await asyncio.gather(*(store.enlist(worker(name), ttl_s=60) for name in names))
        leases = await asyncio.gather(
            *(each.claim("d", name) for each in (store, other) for name in names[:4])
        )
        winners = {lease.worker_id for lease in leases if lease is not None}
        assert len(winners) == 1
        holder = await store.holder("d")
        assert holder is not None
        assert {holder.id} == winners

    async def test_either_appends_or_deletes(self, store: Store, other: Store) -> None:
        for number in range(20):
            await begin(store, f"d{number}")
            deleted, appended = await outcomes(
                store.delete(f"d{number}", seq=1),
                other.append([record(2)], summary(f"d{number}", 2)),
            )
            assert (deleted, appended) in (("done", "not_found"), ("conflict", "done"))

    async def test_commits_the_neighbours_of_a_refused_append(self, store: Store) -> None:
        names = [f"d{number}" for number in range(6)]
        for name in names:
            await store.create([created(), turn(2, "a")], summary(name, 2))
        calls = [store.append([turn(3, f"b/{name}")], summary(name, 3)) for name in names]
        calls[1:1] = [
            store.append([turn(3, "a")], summary("d5", 3)),
            store.append([record(9)], summary("d0", 9)),
            store.append([record(3)], summary("nobody", 3)),
            store.append([record(3)], summary("d1", 3), fence=8),
        ]
        told = await outcomes(*calls)
        assert told[1:5] == ["conflict", "conflict", "not_found", "lease_lost"]
        assert told[:1] + told[5:] == ["done"] * 6
        for name in names:
            assert await store.read(name, after=2) == [turn(3, f"b/{name}")]
            assert await store.summary(name) == summary(name, 3)

    async def test_appends_to_one_debate_in_the_order_asked_for(self, store: Store) -> None:
        await begin(store, "d")
        calls = [store.append([record(seq)], summary("d", seq)) for seq in range(2, 30)]
        assert await outcomes(*calls) == ["done"] * 28
        assert [each.seq for each in await store.read("d")] == list(range(1, 30))

    async def test_reads_while_it_writes(self, store: Store, other: Store) -> None:
        names = [f"d{number}" for number in range(10)]
        await asyncio.gather(*(begin(store, name) for name in names))
        calls = [
            call
            for seq in range(2, 12)
            for name in names
            for call in (
                store.append([turn(seq, f"s/{seq}")], summary(name, seq)),
                store.read(name),
                other.read(name),
                other.list(),
            )
        ]
        assert set(await outcomes(*calls)) == {"done"}
        for name in names:
            assert [each.seq for each in await other.read(name)] == list(range(1, 12))

    async def test_lets_two_processes_write_different_debates(
        self, store: Store, other: Store
    ) -> None:
        calls = [
            call
            for number in range(20)
            for call in (begin(store, f"a{number}"), begin(other, f"b{number}"))
        ]
        assert set(await outcomes(*calls)) == {"done"}
        assert len((await store.list(limit=100)).items) == 40

    async def test_goes_on_when_a_waiting_caller_gives_up(self, store: Store) -> None:
        await begin(store, "d")
        await begin(store, "e")
        given_up = asyncio.create_task(store.append([record(2)], summary("d", 2)))
        await asyncio.sleep(0)
        given_up.cancel()
        await asyncio.wait([given_up])
        assert given_up.cancelled()
        await store.append([record(2)], summary("e", 2))
        assert len(await store.read("e")) == 2
