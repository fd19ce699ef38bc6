"""Playing a debate may be left and begun again at any time, and costs nothing twice."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest
from tests.unit.engine.bench import ALL_STEPS, OPENING, PLANS, Bench, HeldModel, bench

from moot.engine.feed import Item
from moot.engine.runner import Runner
from moot.errors import Busy, StoreUnavailable
from moot.protocol.words import Status


async def first(on: Bench, debate: str) -> Item:
    """What a reader is given first who leaves at once."""
    async for item in on.service.play(debate, after=0):
        return item
    raise AssertionError("there was nothing to read")


async def all_of(on: Bench, debate: str) -> list[Item]:
    return [item async for item in on.service.play(debate, after=0)]


async def let_go(on: Bench) -> None:
    """Return when nothing is played any more."""
    if tasks := [one.task for one in on.service._plays._plays.values()]:
        await asyncio.wait(tasks)
        await asyncio.sleep(0)  # whoever waits for the same task has heard of it by then


async def test_a_reader_who_comes_back_at_once_keeps_the_run() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        for _ in range(3):
            await first(on, debate)
        model.open()
        await all_of(on, debate)
        assert (await on.state(debate)).status is Status.COMPLETED
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1)
        assert model.dropped == []


async def test_what_is_under_way_when_the_last_reader_leaves_is_kept_and_nothing_begins() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        async with aclosing(on.service.play(debate)) as items:
            async for _ in items:
                await model.until(*PLANS)
                break
        model.open()
        await let_go(on)
        assert on.turns(debate) == list(PLANS)
        assert on.asked() == dict.fromkeys(PLANS, 1)
        assert await on.store.holder(debate) is None
        assert (await on.state(debate)).status is Status.RUNNING

        await all_of(on, debate)
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1)


async def test_a_reader_who_comes_back_while_it_is_being_given_back_begins_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The run does not hear that it is to be kept: it has come to its end.
    monkeypatch.setattr(Runner, "keep", lambda self: None)
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        await first(on, debate)
        await model.until(*PLANS)
        reading = asyncio.create_task(all_of(on, debate))
        await asyncio.sleep(0)
        model.open()
        await reading
        assert (await on.state(debate)).status is Status.COMPLETED
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1)


async def test_several_readers_share_one_run() -> None:
    async with bench() as on:
        debate = await on.create()
        one, other = await asyncio.gather(all_of(on, debate), all_of(on, debate))
        assert one == other
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1)


async def test_one_of_several_readers_who_leaves_ends_nothing() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        reading = asyncio.create_task(all_of(on, debate))
        await model.until(*PLANS)
        leaving = asyncio.create_task(all_of(on, debate))
        await first(on, debate)
        leaving.cancel()
        await asyncio.wait([leaving])
        model.open()
        await reading
        assert model.dropped == []
        assert (await on.state(debate)).status is Status.COMPLETED


async def test_being_cancelled_cuts_the_calls_and_the_next_reader_waits_for_that() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        reading = asyncio.create_task(all_of(on, debate))
        await model.until(*PLANS)
        reading.cancel()
        again = asyncio.create_task(all_of(on, debate))
        await asyncio.wait([reading])
        assert reading.cancelled()
        assert sorted(model.dropped) == sorted(PLANS)
        await model.until(*PLANS)
        await model.answer(*PLANS, then=OPENING[:1])
        model.open()
        await again
        assert (await on.state(debate)).status is Status.COMPLETED


async def test_a_reader_is_told_that_the_process_is_closing() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        reading = asyncio.create_task(all_of(on, debate))
        await model.until(*PLANS)
        await on.service.close()
        with pytest.raises(Busy, match="closing"):
            await reading


async def test_a_run_that_breaks_when_nobody_reads_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with bench() as on:
        debate = await on.create()

        async def broken(_debate: str) -> None:
            await asyncio.sleep(0)
            raise StoreUnavailable("gone")

        monkeypatch.setattr(on.service._plays, "_run", broken)
        with pytest.raises(StoreUnavailable):
            await all_of(on, debate)
        assert not caplog.records
        async with on.service._plays.joined(debate):
            pass
        await let_go(on)
        assert [record.message for record in caplog.records] == ["run broke"]


async def test_who_plays_a_debate_that_is_being_stopped_has_it_go_on() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        await first(on, debate)
        await model.until(*PLANS)
        await on.service.command(debate, "stop")
        model.open()
        await all_of(on, debate)
        assert (await on.state(debate)).status is Status.COMPLETED
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1)
