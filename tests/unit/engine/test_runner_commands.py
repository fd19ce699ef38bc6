"""What people ask of a debate while it runs, and when exactly it takes effect."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.engine.bench import (
    ALL_STEPS,
    ANSWER,
    OPENING,
    PLANS,
    VERDICT,
    WEIGHED,
    Bench,
    HeldModel,
    bench,
    by_step,
    finished,
)

from moot.errors import ModelUnavailable, Refused
from moot.protocol import events as e
from moot.protocol.state import DebateState
from moot.protocol.words import Status, StopReason
from moot.testing.clock import FakeClock
from moot.testing.scripted import ScriptedModel


async def _until_opened(on: Bench, model: HeldModel) -> tuple[str, asyncio.Task[DebateState]]:
    """A debate whose opening is being weighed while the answer is being thought of."""
    debate = await on.create()
    running = on.start(debate)
    await model.until(*PLANS)
    await model.answer(*PLANS, then=OPENING[:1])
    await model.answer(OPENING[0], then=OPENING[1:])
    await model.answer(OPENING[1], then=[WEIGHED[0], ANSWER[0]])
    return debate, running


async def test_stop_finishes_the_steps_in_flight_and_begins_nothing() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate, running = await _until_opened(on, model)
        await on.service.command(debate, "stop")
        await model.answer(ANSWER[0], then=[WEIGHED[0]])
        assert (await on.state(debate)).status is Status.STOPPING
        model.let(WEIGHED[0])
        await running
        state = await on.state(debate)
        assert state.status is Status.STOPPED
        assert state.stop_reason is StopReason.STOPPED
        assert on.turns(debate)[-2:] == [ANSWER[0], WEIGHED[0]]
        assert model.dropped == []
        model.open()
        assert (await on.service.run(debate)).status is Status.COMPLETED
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1)


async def _until_waiting(on: Bench, debate: str, count: int) -> None:
    """Return when so many steps wait for their provider."""
    async for _ in on.service.follow(debate):
        if len((await on.state(debate)).waits) == count:
            return


def _in_an_outage(*, of: str) -> HeldModel:
    """Steps whose key ends so find their provider down, once."""
    outage = ModelUnavailable("scripted: down")
    return HeldModel(inner=ScriptedModel(by_step(**{of: outage})))


async def test_stop_works_at_once_while_a_provider_is_waited_for() -> None:
    model = _in_an_outage(of="plan")
    model.is_open = True
    async with bench(model) as on:
        on.models.clock = FakeClock(is_patient=True)
        debate = await on.create()
        running = on.start(debate)
        await _until_waiting(on, debate, 1)
        await on.service.command(debate, "stop")
        state = await finished(running, Status.STOPPED)
        assert state.waits == {}
        assert [one.retry_in_s is None for one in on.failed_tries(debate)] == [False]
        on.models.clock = FakeClock()
        assert (await on.service.run(debate)).status is Status.COMPLETED
        assert sum(on.asked().values()) == len(ALL_STEPS) + 1


async def test_stop_keeps_what_is_being_answered_while_another_step_waits() -> None:
    model = _in_an_outage(of="ada__plan")
    async with bench(model) as on:
        on.models.clock = FakeClock(is_patient=True)
        debate = await on.create()
        running = on.start(debate)
        await model.until(*PLANS)
        model.let(PLANS[0])
        await _until_waiting(on, debate, 1)
        await on.service.command(debate, "stop")
        model.let(PLANS[1])
        await finished(running, Status.STOPPED)
        assert on.turns(debate) == [PLANS[1]]


async def test_cancel_works_at_once_while_a_provider_is_waited_for() -> None:
    model = _in_an_outage(of="plan")
    model.is_open = True
    async with bench(model) as on:
        on.models.clock = FakeClock(is_patient=True)
        debate = await on.create()
        running = on.start(debate)
        await _until_waiting(on, debate, 1)
        await on.service.command(debate, "cancel")
        await finished(running, Status.CANCELED)


async def test_patience_begins_anew_when_another_worker_takes_over() -> None:
    model = ScriptedModel(by_step(ada__plan=[ModelUnavailable("scripted: down")] * 2))
    async with bench(model) as on:
        on.models.clock = FakeClock(is_patient=True)
        debate = await on.create()
        running = on.start(debate)
        await _until_waiting(on, debate, 1)
        running.cancel()
        await asyncio.wait([running])
        on.models.clock = FakeClock()
        await finished(on.start(debate), Status.COMPLETED)
        first, second = (one.retry_in_s or 0 for one in on.failed_tries(debate))
        assert first <= 0.5 >= second


async def test_hurry_drops_what_is_in_flight_of_a_debate_that_is_stopping() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate, running = await _until_opened(on, model)
        await on.service.command(debate, "stop")
        on.service.hurry(debate)
        await running
        assert (await on.state(debate)).status is Status.STOPPED
        assert sorted(model.dropped) == sorted([WEIGHED[0], ANSWER[0]])
        model.open()
        assert (await on.service.run(debate)).status is Status.COMPLETED


async def test_a_reply_that_came_with_the_hurry_is_kept() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate, running = await _until_opened(on, model)
        await model.answer(ANSWER[0], then=[WEIGHED[0]])
        await on.service.command(debate, "stop")
        on.service.hurry(debate)
        await running
        model.open()
        await on.service.run(debate)
        assert on.asked()[ANSWER[0]] == 1


async def test_a_reply_that_loses_the_race_against_a_stop_is_kept() -> None:
    """The stop is appended first, the turn's append is refused, and nothing is bought again."""
    model = HeldModel()
    async with bench(model) as on:
        debate, running = await _until_opened(on, model)
        on.beat(debate, e.StopRequested())
        await model.answer(ANSWER[0], then=[WEIGHED[0]])
        model.let(WEIGHED[0])
        await running
        assert (await on.state(debate)).status is Status.STOPPED
        assert on.turns(debate)[-2:] == [ANSWER[0], WEIGHED[0]]
        model.open()
        assert (await on.service.run(debate)).status is Status.COMPLETED
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1)


async def test_cancel_aborts_the_calls_in_flight_and_spends_nothing_more() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate, running = await _until_opened(on, model)
        await on.service.command(debate, "cancel")
        await running
        asked = len(model.asked)
        state = await on.state(debate)
        assert state.status is Status.CANCELED
        assert sorted(model.dropped) == sorted([WEIGHED[0], ANSWER[0]])
        assert isinstance(on.log(debate)[-1], e.DebateCanceled)
        model.open()
        assert (await on.service.run(debate)).status is Status.CANCELED
        assert len(model.asked) == asked
        for name in ("start", "stop", "resume", "end", "cancel", "retry"):
            with pytest.raises(Refused):
                await on.service.command(debate, name)
        assert isinstance(on.log(debate)[-1], e.DebateCanceled)


async def test_end_drops_what_is_not_wanted_and_keeps_what_is() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate, running = await _until_opened(on, model)
        await on.service.command(debate, "end")
        # The judge still has to weigh what was said; nobody will answer it any more.
        await model.until(WEIGHED[0])
        assert model.dropped == [ANSWER[0]]
        model.open()
        await running
        state = await on.state(debate)
        assert state.status is Status.COMPLETED
        assert state.stop_reason is StopReason.ENDED
        assert on.turns(debate)[4:] == [*WEIGHED, *VERDICT]
        assert on.asked()[WEIGHED[0]] == 1


async def test_a_reply_that_comes_too_late_is_not_said_but_paid() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate, running = await _until_opened(on, model)
        on.beat(debate, e.EndRequested())
        await model.answer(ANSWER[0], then=[WEIGHED[0]])
        model.open()
        await running
        state = await on.state(debate)
        (dropped,) = on.failed_tries(debate)
        assert (dropped.attempt_of, dropped.code) == (ANSWER[0], "dropped")
        assert dropped.usage.output_tokens > 0
        assert ANSWER[0] not in state.turns
        assert state.calls == sum(on.asked().values())


async def test_end_buys_no_further_try_of_a_step_that_is_not_wanted() -> None:
    model = HeldModel(by_step(bob__think=[ModelUnavailable("down"), ModelUnavailable("down")]))
    async with bench(model) as on:
        debate, running = await _until_opened(on, model)
        on.beat(debate, e.EndRequested())
        await model.answer(ANSWER[0], then=[WEIGHED[0]])
        model.open()
        await running
        assert on.asked()[ANSWER[0]] == 1
        assert (await on.state(debate)).calls == sum(on.asked().values())


async def test_resume_while_stopping_takes_the_stop_back() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate, running = await _until_opened(on, model)
        await on.service.command(debate, "stop")
        await on.service.command(debate, "resume")
        model.open()
        await running
        assert (await on.state(debate)).status is Status.COMPLETED
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1)


async def test_stop_right_after_the_start_makes_no_call() -> None:
    async with bench() as on:
        debate = await on.create()
        await on.service.command(debate, "start")
        await on.service.command(debate, "stop")
        state = await on.worker.advance(debate)
        assert state.status is Status.STOPPED
        assert sum(on.asked().values()) == 0


async def test_takes_a_stop_that_another_process_appended() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate, running = await _until_opened(on, model)
        async with on.another(has_worker=False) as elsewhere:
            await elsewhere.service.command(debate, "stop")
        await model.answer(ANSWER[0], then=[WEIGHED[0]])
        model.let(WEIGHED[0])
        state = await finished(running, Status.STOPPED)
        assert ANSWER[0] in state.turns
