"""The limit of running time, while a call hangs."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.unit.engine.bench import ROSTER, Bench, HeldModel, bench, finished

from moot.engine.creation import NewDebate
from moot.protocol import events as e
from moot.protocol.state import DebateState
from moot.protocol.words import Status, StopReason

A1, B1, A2, B2 = (f"debate/{round_}/{who}/speak" for round_ in (1, 2) for who in ("ada", "bob"))
LIMIT_S = 60


async def _rounds(on: Bench, **settings: Any) -> tuple[str, asyncio.Task[DebateState]]:
    settings = {"max_runtime_seconds": LIMIT_S, "max_rounds": 3, **settings}
    new = NewDebate(topic="Is it so?", format="rounds", settings=settings, participants=ROSTER)
    debate = await on.service.create(new)
    return debate, on.start(debate)


def _limits(on: Bench, debate: str) -> list[e.LimitReached]:
    return [one for one in on.log(debate) if isinstance(one, e.LimitReached)]


async def test_a_call_that_hangs_is_given_up_when_the_time_is_up() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate, running = await _rounds(on)
        await model.until(A1)
        await model.answer(A1, then=[B1])
        await model.answer(B1, then=[A2])
        on.clock.advance(LIMIT_S - 1)
        await model.until(A2)
        assert _limits(on, debate) == []
        # Both have spoken as often as the other, so nobody is owed another word.
        on.clock.advance(1.1)
        await model.until("verdict/2/jo/verdict")
        assert model.dropped == [A2]
        (limit,) = _limits(on, debate)
        assert limit.limit is StopReason.MAX_RUNTIME
        model.open()
        state = await finished(running, Status.COMPLETED)
        assert state.stop_reason is StopReason.MAX_RUNTIME


async def test_who_has_yet_to_answer_may_though_the_time_is_up() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate, running = await _rounds(on)
        await model.until(A1)
        await model.answer(A1, then=[B1])
        on.clock.advance(LIMIT_S + 0.1)
        await _until(lambda: len(_limits(on, debate)) == 1)
        assert model.in_flight == {B1}
        await model.answer(B1, then=["verdict/1/jo/verdict"])
        assert model.dropped == []
        model.open()
        state = await finished(running, Status.COMPLETED)
        assert state.stop_reason is StopReason.MAX_RUNTIME


async def test_time_in_which_it_was_stopped_does_not_count() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate, running = await _rounds(on)
        await model.until(A1)
        on.clock.advance(LIMIT_S / 2)
        await on.service.command(debate, "stop")
        model.let(A1)
        await finished(running, Status.STOPPED)
        on.clock.advance(10 * LIMIT_S)
        running = on.start(debate)
        await model.until(B1)
        on.clock.advance(LIMIT_S / 2 - 1)
        await model.answer(B1, then=[A2])
        assert _limits(on, debate) == []
        on.clock.advance(1.1)
        await model.until("verdict/2/jo/verdict")
        model.open()
        await finished(running, Status.COMPLETED)


async def test_one_that_is_stopping_waits_for_its_step_all_the_same() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate, running = await _rounds(on)
        await model.until(A1)
        await on.service.command(debate, "stop")
        on.clock.advance(LIMIT_S + 1)
        await model.until(A1)
        model.let(A1)
        await finished(running, Status.STOPPED)
        assert on.turns(debate) == [A1]
        assert model.dropped == []


async def test_no_clock_ticks_for_debates_without_such_a_limit() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate, running = await _rounds(on, max_runtime_seconds=None)
        await model.until(A1)
        assert on.clock._alarms == []
        model.open()
        await finished(running, Status.COMPLETED)
        assert _limits(on, debate) == []


async def _until(holds: Any) -> None:
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110 - of other tasks' doing
            await asyncio.sleep(0)
