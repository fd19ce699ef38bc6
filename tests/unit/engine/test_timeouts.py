"""Who does not answer in time has passed: exactly once, whoever notices it."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.engine.bench import ADA, BOB, JO, OPENING, PLANS, Bench, bench, human

from moot.errors import Busy, InvalidInput, Refused
from moot.protocol import events as e
from moot.protocol.words import Status

HOUR = 3600
SPEECH = OPENING[1]


async def waiting(on: Bench, **settings: object) -> str:
    debate = await on.create((human(ADA), BOB, JO), **{"human_timeout_seconds": HOUR, **settings})
    state = await on.service.run(debate)
    assert state.status is Status.WAITING
    return debate


def passed(on: Bench, debate: str) -> list[str]:
    return [
        one.step_key
        for one in on.log(debate)
        if isinstance(one, e.TurnRecorded) and one.flags == ("passed", "expired")
    ]


async def test_says_until_when_it_is_asked() -> None:
    async with bench() as on:
        debate = await waiting(on)
        state = await on.state(debate)
        (question,) = state.questions.values()
        assert question.expires_at is not None
        assert (question.expires_at - on.clock.now()).total_seconds() == HOUR
        assert (await on.service.summary(debate)).wake_at == question.expires_at
        await on.service.command(debate, "cancel")
        assert (await on.service.summary(debate)).wake_at is None


async def test_asks_without_limit_unless_told_otherwise() -> None:
    async with bench() as on:
        debate = await waiting(on, human_timeout_seconds=None)
        on.clock.advance(10_000 * HOUR)
        assert await on.store.due(on.clock.now()) == []
        assert (await on.worker.advance(debate)).status is Status.WAITING


@pytest.mark.parametrize("seconds", [0, -1, 2_592_001, 1.5, "60"])
async def test_refuses_a_time_that_makes_no_sense(seconds: object) -> None:
    async with bench() as on:
        with pytest.raises(InvalidInput, match="human_timeout_seconds"):
            await on.create((human(ADA), BOB, JO), human_timeout_seconds=seconds)


async def test_passes_for_them_when_the_time_is_up_and_not_before() -> None:
    async with bench() as on:
        debate = await waiting(on)
        on.clock.advance(HOUR - 1)
        assert (await on.worker.advance(debate)).status is Status.WAITING
        assert passed(on, debate) == []
        on.clock.advance(1)
        state = await on.worker.advance(debate)
        assert passed(on, debate) == [PLANS[0], *OPENING]
        assert state.status is Status.COMPLETED
        with pytest.raises(Refused, match="time for it was up"):
            await on.service.answer(debate, SPEECH, "Too late.")


async def test_runs_to_the_end_though_nobody_ever_answers() -> None:
    async with bench() as on:
        debate = await waiting(on)
        while (await on.state(debate)).status is Status.WAITING:
            on.clock.advance(HOUR)
            await on.worker.advance(debate)
        assert (await on.state(debate)).status is Status.COMPLETED
        assert len(passed(on, debate)) == 3


async def test_the_dispatcher_finds_what_is_due_after_a_restart() -> None:
    async with bench() as on:
        debate = await waiting(on)
        on.clock.advance(HOUR)
        async with on.serving():
            while not passed(on, debate):  # noqa: ASYNC110 - the log has no event to wait for
                await asyncio.sleep(0)
        assert passed(on, debate)[0] == PLANS[0]


async def test_two_workers_record_it_once() -> None:
    async with bench() as on:
        debate = await waiting(on)
        on.clock.advance(HOUR)
        async with on.another() as other:
            done = await asyncio.gather(
                on.service.run(debate), other.service.run(debate), return_exceptions=True
            )
        assert all(not isinstance(one, BaseException) or isinstance(one, Busy) for one in done)
        assert passed(on, debate).count(PLANS[0]) == 1


async def test_an_answer_that_came_first_stands() -> None:
    async with bench() as on:
        debate = await waiting(on)
        on.clock.advance(HOUR)
        state = await on.state(debate)
        step = state.questions[SPEECH]
        answer = e.TurnRecorded(
            step_key=SPEECH,
            participant="ada",
            kind=step.kind,
            stage=step.stage,
            round=1,
            place=(1, 1, 1),
            visibility="public",  # type: ignore[arg-type]
            content="Just in time.",
        )
        on.beat(debate, answer)
        await on.worker.advance(debate)
        assert (await on.state(debate)).turns[SPEECH].said.content == "Just in time."
        assert SPEECH not in passed(on, debate)


async def test_an_answer_that_comes_late_but_first_is_taken() -> None:
    async with bench() as on:
        debate = await waiting(on)
        on.clock.advance(2 * HOUR)
        await on.service.answer(debate, SPEECH, "Better late.")
        assert passed(on, debate) == []


async def test_nobodys_time_runs_while_the_debate_is_stopped() -> None:
    async with bench() as on:
        debate = await waiting(on)
        await on.service.command(debate, "stop")
        on.clock.advance(2 * HOUR)
        assert await on.store.due(on.clock.now()) == []
        state = await on.service.run(debate)
        assert state.status is Status.WAITING
        assert passed(on, debate) == []
        assert state.wake_at is not None
        assert (state.wake_at - on.clock.now()).total_seconds() == HOUR
