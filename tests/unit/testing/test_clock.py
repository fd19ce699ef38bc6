from __future__ import annotations

import asyncio
from datetime import timedelta

from moot.testing.clock import START, FakeClock


async def test_an_impatient_clock_moves_by_sleeping() -> None:
    clock = FakeClock()
    await clock.sleep(90)
    assert clock.now() == START + timedelta(seconds=90)


async def test_a_patient_clock_wakes_sleepers_in_order_when_it_is_advanced() -> None:
    clock, woken = FakeClock(is_patient=True), list[str]()

    async def sleeper(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append(name)

    async with asyncio.TaskGroup() as group:
        group.create_task(sleeper("late", 10))
        group.create_task(sleeper("early", 5))
        await asyncio.sleep(0)
        clock.advance(6)
        await asyncio.sleep(0.001)
        assert woken == ["early"]
        clock.advance(4)
    assert woken == ["early", "late"]
