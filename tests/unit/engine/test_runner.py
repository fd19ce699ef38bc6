"""The loop that runs one debate."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.engine.bench import (
    ADA,
    ALL_STEPS,
    ANSWER,
    BOB,
    OPENING,
    PLANS,
    VERDICT,
    WEIGHED,
    HeldModel,
    bench,
    by_step,
    finished,
)

from moot.errors import ModelRefused
from moot.protocol import events as e
from moot.protocol.words import Status, StopReason
from moot.testing.scripted import ScriptedModel


async def test_makes_each_call_once_and_records_each_step_once() -> None:
    async with bench() as on:
        debate = await on.create()
        state = await on.service.run(debate)
        assert state.status is Status.COMPLETED
        assert sorted(on.turns(debate)) == sorted(ALL_STEPS)
        assert on.asked() == dict.fromkeys(ALL_STEPS, 1)
        assert state.calls == len(ALL_STEPS)


async def test_overlaps_the_judge_with_the_next_debater() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        running = on.start(debate)
        await model.until(*PLANS)
        await model.answer(*PLANS, then=OPENING[:1])
        await model.answer(OPENING[0], then=OPENING[1:])
        await model.answer(OPENING[1], then=[WEIGHED[0], ANSWER[0]])
        await model.answer(ANSWER[0], then=[WEIGHED[0], ANSWER[1]])
        await model.answer(WEIGHED[0], then=[WEIGHED[1], ANSWER[1]])
        model.open()
        await finished(running, Status.COMPLETED)


@pytest.mark.parametrize("turns", [1, 2, 3, 6, 9])
async def test_takes_no_longer_than_its_longest_chain_of_calls(turns: int) -> None:
    """Seed 001 and DESIGN section 9: 2·turns + 7 of the 4·turns + 6 calls, 19 of 30."""
    model = HeldModel()
    async with bench(model) as on:
        running = on.start(await on.create(turns=turns))
        waves = 0
        while not running.done():
            for _ in range(100):  # let everything that can begin do so
                await asyncio.sleep(0)
            waves += bool(model.in_flight)
            model.let(*model.in_flight)
        await finished(running, Status.COMPLETED)
        assert waves == 2 * turns + 7
        assert sum(on.asked().values()) == 4 * turns + 6


async def test_thinks_ahead_while_the_opponent_still_plans() -> None:
    model = HeldModel()
    async with bench(model) as on:
        running = on.start(await on.create())
        await model.until(*PLANS)
        await model.answer(PLANS[0], then=[PLANS[1], OPENING[0]])
        await model.answer(OPENING[0], then=[PLANS[1]])
        await model.answer(PLANS[1], then=[OPENING[1]])
        model.open()
        await finished(running, Status.COMPLETED)


async def test_has_everything_in_the_log_before_the_next_step_begins() -> None:
    behind: list[str] = []

    def script(request: object) -> str:
        # Whatever led here must be committed: the fold of the store alone must want this step.
        (row,) = on.store.rows.values()
        said = len([1 for record in row.records if isinstance(record.event, e.TurnRecorded)])
        behind.append(f"{said}/{row.summary.turns}/{row.records[-1].seq - row.summary.seq}")
        return "Indeed."

    async with bench(ScriptedModel(script)) as on:
        debate = await on.create((ADA, BOB))
        await on.service.run(debate)
        # Two plans at once, then one call after the other: each sees all turns before it.
        assert behind == ["0/0/0", "0/0/0", "2/2/0", "3/3/0", "4/4/0", "5/5/0"]


async def test_decides_by_the_log_alone_in_whatever_order_replies_come() -> None:
    async with bench() as on:
        first = await on.create()
        await on.service.run(first)
        expected = [turn.said.content for turn in (await on.state(first)).transcript()]
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create()
        running = on.start(debate)
        await model.until(*PLANS)
        while not running.done():
            if model.in_flight:  # always the last of those in flight: as unfair as can be
                model.let(max(model.in_flight))
            await asyncio.sleep(0)
        shown = [turn.said.content for turn in (await on.state(debate)).transcript()]
        assert shown == expected


@pytest.mark.parametrize("kind", ["retry", "run"])
async def test_fails_with_the_reason_and_goes_on_with_what_is_missing(kind: str) -> None:
    script = by_step(bob__plan=[ModelRefused("no such model")])
    async with bench(ScriptedModel(script)) as on:
        debate = await on.create()
        state = await on.service.run(debate)
        assert state.status is Status.FAILED
        assert state.stop_reason is StopReason.ERROR
        assert state.failure == e.DebateFailed(
            error="no such model", code="model_refused", step_key=PLANS[1]
        )
        if kind == "retry":
            await on.service.command(debate, "retry")
        state = await on.service.run(debate)
        assert state.status is Status.COMPLETED
        assert on.asked() == {**dict.fromkeys(ALL_STEPS, 1), PLANS[1]: 2}
        assert state.calls == len(ALL_STEPS) + 1


async def test_keeps_what_is_in_flight_when_a_step_fails_and_begins_nothing_new() -> None:
    model = HeldModel(by_step(ada__plan=[ModelRefused("no such model")]))
    async with bench(model) as on:
        debate = await on.create()
        running = on.start(debate)
        await model.until(*PLANS)
        await model.answer(PLANS[0], then=[PLANS[1]])
        assert (await on.state(debate)).status is Status.RUNNING
        model.let(PLANS[1])
        await finished(running, Status.FAILED)
        assert on.turns(debate) == [PLANS[1]]
        model.open()
        assert (await on.service.run(debate)).status is Status.COMPLETED
        assert on.asked()[PLANS[1]] == 1


async def test_a_bug_fails_the_debate_and_not_the_worker() -> None:
    def script(request: object) -> str:
        raise ZeroDivisionError

    async with bench(ScriptedModel(script)) as on:
        debate = await on.create()
        state = await on.service.run(debate)
        assert state.status is Status.FAILED
        assert state.failure is not None
        assert state.failure.error == "internal error: ZeroDivisionError"


async def test_ends_at_a_limit_once_the_other_side_has_answered() -> None:
    async with bench() as on:
        debate = await on.create(turns=6, max_total_output_tokens=150)
        state = await on.service.run(debate)
        assert state.status is Status.COMPLETED
        assert state.stop_reason is StopReason.MAX_TOKENS
        assert state.statements == 2
        assert set(VERDICT) <= set(state.turns)
        reached = [one for one in on.log(debate) if isinstance(one, e.LimitReached)]
        assert len(reached) == 1
        assert reached[0].observed >= 150


async def test_counts_running_time_without_the_pauses_between_workers() -> None:
    model = HeldModel()
    async with bench(model) as on:
        debate = await on.create(max_runtime_seconds=100)
        running = on.start(debate)
        await model.until(*PLANS)
        on.clock.advance(60)
        running.cancel()
        await asyncio.wait([running])
        on.clock.advance(10_000)
        model.open()
        state = await on.service.run(debate)
        assert "DebateRecovered" in on.names(debate)
        assert state.stop_reason is StopReason.DONE
        assert state.timeline.runtime_s(on.clock.now()) < 100
