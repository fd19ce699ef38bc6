"""Errands: what a client asked for is done once, whether it waits for it or not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from moot.asking.asker import RESULT_KEPT_S, Errands
from moot.errors import ModelUnavailable
from moot.testing.clock import FakeClock


class Work:
    """Counts how often it is done; waits until it may go on."""

    def __init__(self, error: Exception | None = None) -> None:
        self.times = 0
        self.may_go_on = asyncio.Event()
        self.error = error

    async def __call__(self) -> int:
        self.times += 1
        await self.may_go_on.wait()
        if self.error is not None:
            raise self.error
        return self.times


@asynccontextmanager
async def running(clock: FakeClock) -> AsyncIterator[Errands]:
    errands = Errands(clock)
    loop = asyncio.create_task(errands.run())
    try:
        yield errands
    finally:
        loop.cancel()
        with suppress(asyncio.CancelledError):
            await loop


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_two_who_ask_at_once_share_one() -> None:
    async with running(FakeClock()) as errands:
        work = Work()
        both = asyncio.gather(errands.done("a", work), errands.done("a", work))
        await settled()
        work.may_go_on.set()
        assert list(await both) == [1, 1]
        assert await errands.done("a", work) == 1  # it may not have arrived
        assert await errands.done("b", work) == 2
        errands.forget("a")
        assert await errands.done("a", work) == 3


async def test_it_goes_on_when_its_client_leaves_and_is_kept_for_a_while() -> None:
    clock = FakeClock()
    async with running(clock) as errands:
        work = Work()
        client = asyncio.create_task(errands.done("a", work))
        await settled()
        client.cancel()
        await settled()
        work.may_go_on.set()
        await settled()
        assert await errands.done("a", work) == 1
        clock.advance(RESULT_KEPT_S + 1)
        assert await errands.done("a", work) == 2


async def test_a_failure_is_told_and_tried_again() -> None:
    async with running(FakeClock()) as errands:
        work = Work(ValueError("no"))
        work.may_go_on.set()
        with pytest.raises(ValueError, match="no"):
            await errands.done("a", work)
        work.error = None
        assert await errands.done("a", work) == 2


async def test_whoever_waits_is_told_when_the_process_leaves() -> None:
    async with running(FakeClock()) as errands:
        client = asyncio.create_task(errands.done("a", Work()))
        await settled()
    with pytest.raises(ModelUnavailable, match="ask again"):
        await client
