"""Who ended a task: somebody who wanted it to end, or its own code."""

from __future__ import annotations

import asyncio

from moot.cancellation import ENDINGS, is_from_inside


async def ended(waited: asyncio.Future[None]) -> bool:
    try:
        await waited
    except ENDINGS:
        return is_from_inside(asyncio.current_task())
    return False


async def test_an_end_of_what_it_waits_for_comes_from_inside() -> None:
    waited: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(ended(waited))
    await asyncio.sleep(0)
    waited.cancel()
    assert await task


async def test_its_own_end_comes_from_outside() -> None:
    task = asyncio.create_task(ended(asyncio.get_running_loop().create_future()))
    await asyncio.sleep(0)
    task.cancel()
    assert not await task


async def test_so_does_that_of_a_task_that_is_thrown_away() -> None:
    told: list[bool] = []

    async def thrown_away() -> None:
        task = asyncio.current_task()
        try:
            await asyncio.get_running_loop().create_future()
        except GeneratorExit:
            told.append(is_from_inside(task))
            raise

    work = thrown_away()
    task = asyncio.create_task(work)
    await asyncio.sleep(0)
    work.close()
    assert told == [False]
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
