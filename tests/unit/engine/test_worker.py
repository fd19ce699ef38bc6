"""Who may run a debate, and what happens to it when its worker goes."""

from __future__ import annotations

import asyncio

import msgspec
import pytest
from tests.unit.engine.bench import ALL_STEPS, PLANS, HeldModel, bench, finished

from moot.engine.leases import TTL_S
from moot.errors import Busy
from moot.protocol.words import Status
from moot.store.port import WorkerId
from moot.store.worker_identity import this_worker


async def test_a_process_runs_a_debate_once_however_often_it_is_asked() -> None:
    async with bench() as on:
        debate = await on.create()
        await on.service.command(debate, "start")
        outcomes = await asyncio.gather(
            *(on.worker.advance(debate) for _ in range(8)), return_exceptions=True
        )
        assert sorted(type(one).__name__ for one in outcomes) == ["Busy"] * 7 + ["DebateState"]
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1)


async def test_starting_it_many_times_at_once_is_busy_and_not_refused() -> None:
    async with bench() as on:
        debate = await on.create()
        outcomes = await asyncio.gather(
            *(on.service.run(debate) for _ in range(8)), return_exceptions=True
        )
        assert sorted(type(one).__name__ for one in outcomes) == ["Busy"] * 7 + ["DebateState"]
        assert on.names(debate).count("DebateStarted") == 1
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1)


async def test_another_living_worker_is_busy() -> None:
    model = HeldModel()
    async with bench(model) as on, on.another() as other:
        debate = await on.create()
        running = on.start(debate)
        await model.until(*PLANS)
        with pytest.raises(Busy, match="process"):
            await other.service.run(debate)
        model.open()
        await finished(running, Status.COMPLETED)
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1)


async def test_takes_over_at_once_from_a_process_that_is_gone() -> None:
    async with bench() as on:
        debate = await on.create()
        await on.service.command(debate, "start")
        mine = this_worker()
        dead = msgspec.structs.replace(mine, id="dead", pid=2**22 + 1)
        await on.store.enlist(dead, ttl_s=TTL_S)
        assert await on.store.claim(debate, "dead") is not None
        state = await on.worker.advance(debate)
        assert state.status is Status.COMPLETED
        assert "dead" not in on.store.lives


async def test_does_not_take_over_from_another_machine_before_its_lease_runs_out() -> None:
    async with bench() as on:
        debate = await on.create()
        await on.service.command(debate, "start")
        far = WorkerId(id="far", machine="elsewhere", pid=1, started="then")
        await on.store.enlist(far, ttl_s=TTL_S * 2)
        await on.store.claim(debate, "far")
        with pytest.raises(Busy):
            await on.worker.advance(debate)
        on.lease_clock.advance(TTL_S * 2)
        await on.store.enlist(on.worker.id, ttl_s=TTL_S)
        assert (await on.worker.advance(debate)).status is Status.COMPLETED


async def test_losing_the_leases_ends_the_runs_and_not_their_callers() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        running = on.start(debate)
        await model.until(*PLANS)
        on.worker._abandon()
        with pytest.raises(Busy):
            await running
        assert sorted(model.dropped) == sorted(PLANS)


async def test_releases_the_lease_whatever_the_outcome() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        running = on.start(debate)
        await model.until(*PLANS)
        running.cancel()
        await asyncio.wait([running])
        assert on.store.rows[debate].owner is None
        assert sorted(model.dropped) == sorted(PLANS)
        model.open()
        assert (await on.service.run(debate)).status is Status.COMPLETED
        assert on.store.rows[debate].owner is None


async def test_leaving_retires_the_worker_and_frees_its_debates() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        running = on.start(debate)
        await model.until(*PLANS)
    assert on.store.lives == {}
    assert on.store.rows[debate].owner is None
    with pytest.raises(Busy):
        await running


async def test_runs_many_debates_side_by_side() -> None:
    async with bench() as on:
        debates = [await on.create() for _ in range(20)]
        states = await asyncio.gather(*(on.service.run(one) for one in debates))
        assert {state.status for state in states} == {Status.COMPLETED}
        assert sum(on.asked().values()) == 20 * len(ALL_STEPS)
