"""The limit of running time, while a call hangs."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest
from tests.unit.engine.bench import ROSTER, Bench, HeldModel, bench, finished

from moot.engine.creation import NewDebate
from moot.protocol import events as e
from moot.protocol.state import DebateState
from moot.protocol.values import Participant
from moot.protocol.words import Role, Status, StopReason
from moot.testing.scripted import ScriptedModel

A1, B1, A2, B2 = (f"debate/{round_}/{who}/speak" for round_ in (1, 2) for who in ("ada", "bob"))
LIMIT_S = 60
MEMBER = Participant(id="a", name="A", role=Role.MEMBER)


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


@pytest.mark.parametrize("by_s", [7200, -7200, 10 * 365 * 86400])
async def test_a_clock_that_jumps_ends_nothing(by_s: float) -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate, running = await _rounds(on)
        await model.until(A1)
        on.clock.advance(10)
        on.clock.jump(by_s)
        await model.answer(A1, then=[B1])
        assert _limits(on, debate) == []
        (jumped,) = [one for one in on.log(debate) if isinstance(one, e.ClockJumped)]
        assert jumped.ran_s == 10
        # And the limit is met when it should be, by the time that has passed.
        on.clock.advance(LIMIT_S - 11)
        await model.answer(B1, then=[A2])
        assert _limits(on, debate) == []
        on.clock.advance(1.1)
        await model.until("verdict/2/jo/verdict")
        (limit,) = _limits(on, debate)
        assert limit.observed == pytest.approx(LIMIT_S + 0.1)
        model.open()
        await finished(running, Status.COMPLETED)


async def test_a_jump_is_noticed_though_nothing_else_happens() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate, _ = await _rounds(on)
        await model.until(A1)
        on.clock.jump(7200)
        await _until(lambda: "ClockJumped" in on.names(debate))
        assert model.in_flight == {A1}


async def test_the_time_until_a_worker_took_it_up_does_not_count() -> None:
    model = HeldModel()
    async with bench(model) as on:
        new = NewDebate(
            topic="Is it so?",
            format="rounds",
            settings={"max_runtime_seconds": LIMIT_S},
            participants=ROSTER,
        )
        debate = await on.service.create(new, start=True)
        on.clock.advance(10 * LIMIT_S)
        running = on.start(debate)
        await model.until(A1)
        assert _limits(on, debate) == []
        model.open()
        await finished(running, Status.COMPLETED)


async def test_a_pause_lasts_no_longer_because_the_clock_was_put_back() -> None:
    async with bench() as on:
        new = NewDebate(
            topic="Tea?",
            format="room",
            settings={"response_delay": 3, "max_messages": 2},
            participants=(MEMBER, msgspec.structs.replace(MEMBER, id="b", name="B")),
        )
        debate = await on.service.create(new, start=True)
        await on.service.say(debate, "Well?")
        model = on.model
        assert isinstance(model, ScriptedModel)

        on.store.before_append = lambda records: (
            on.clock.jump(-7200)
            if any(isinstance(one.event, e.TurnRecorded) for one in records)
            else None
        )
        await on.service.run(debate)
        assert len(model.requests) == 2
        assert max(on.clock.slept) <= 3


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
