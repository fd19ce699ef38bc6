from __future__ import annotations

import asyncio

import pytest

from moot.models.gate import Gate
from moot.testing.clock import FakeClock


async def test_lets_in_so_many_and_no_more() -> None:
    gate, inside, most = Gate(3), 0, 0

    async def call() -> None:
        nonlocal inside, most
        async with gate:
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*[call() for _ in range(20)])
    assert most == 3


async def test_holds_everybody_back_until_the_pause_is_over() -> None:
    clock = FakeClock(is_patient=True)
    gate = Gate(10, clock=clock.monotonic, sleep=clock.sleep)
    gate.hold(5)
    entered: list[float] = []

    async def call() -> None:
        async with gate:
            entered.append(clock.monotonic())

    async with asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(call())
        await asyncio.sleep(0)
        clock.advance(4.9)
        for _ in range(5):
            await asyncio.sleep(0)
        assert entered == []
        clock.advance(0.2)
    assert entered == [pytest.approx(5.1)] * 3


async def test_a_shorter_pause_does_not_shorten_a_longer_one() -> None:
    clock = FakeClock()
    gate = Gate(1, clock=clock.monotonic, sleep=clock.sleep)
    gate.hold(60)
    gate.hold(1)
    assert gate.held_for_s == 60


async def test_a_pause_that_begins_while_one_waits_for_a_slot_counts() -> None:
    clock = FakeClock()
    gate = Gate(1, clock=clock.monotonic, sleep=clock.sleep)
    entered_at = -1.0

    async def second() -> None:
        nonlocal entered_at
        async with gate:
            entered_at = clock.monotonic()

    async with asyncio.TaskGroup() as group, gate:
        group.create_task(second())
        await asyncio.sleep(0)
        gate.hold(30)
    assert entered_at == 30


async def test_a_canceled_call_gives_its_slot_back() -> None:
    gate = Gate(1)

    async def stuck() -> None:
        async with gate:
            await asyncio.Event().wait()

    task = asyncio.create_task(stuck())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with asyncio.timeout(1), gate:
        pass
