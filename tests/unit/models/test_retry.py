from __future__ import annotations

import asyncio
from collections.abc import Iterable

import msgspec
import pytest

from moot.errors import (
    BudgetSpent,
    ModelError,
    ModelRefused,
    ModelUnavailable,
    RateLimited,
    ReplyBroken,
    ReplyTooLarge,
)
from moot.models.gate import Gate
from moot.models.port import AttemptNotice, ChatRequest
from moot.models.retry import Retrying, RetryPolicy
from moot.protocol.values import Message, Usage
from moot.testing.clock import FakeClock
from moot.testing.scripted import Said, ScriptedModel

REQUEST = ChatRequest(model="ignored", messages=[Message(role="user", content="Well?")])


class Desk:
    """A caller over a script, on a clock of its own, with no chance in it."""

    def __init__(self, script: Iterable[Said], *, policy: RetryPolicy | None = None) -> None:
        self.clock = FakeClock()
        self.model = ScriptedModel(script)
        self.gate = Gate(4, clock=self.clock.monotonic, sleep=self.clock.sleep)
        self.notices: list[AttemptNotice] = []
        self.caller = Retrying(
            backend=self.model,
            model="m",
            gate=self.gate,
            policy=policy or RetryPolicy(),
            price=lambda model, usage: 0.25 if model == "m" else None,
            sleep=self.clock.sleep,
            jitter=lambda: 1.0,
            clock=self.clock.monotonic,
        )

    async def note(self, notice: AttemptNotice) -> None:
        # Told before the pause: the clock has not moved since the failure.
        assert len(self.clock.slept) == len(self.notices)
        self.notices.append(notice)


async def test_fills_in_cost_attempts_and_its_own_model() -> None:
    desk = Desk(["yes"])
    reply = await desk.caller.call(REQUEST)
    assert (reply.content, reply.attempts, reply.usage.cost_usd) == ("yes", 1, 0.25)
    assert desk.model.requests[0].model == "m"


async def test_tries_again_with_growing_pauses_and_tells() -> None:
    broken = ReplyBroken("cut off")
    desk = Desk([ModelUnavailable("503"), broken, "at last"])
    reply = await desk.caller.call(REQUEST, on_failure=desk.note)
    assert (reply.content, reply.attempts) == ("at last", 3)
    assert desk.clock.slept == [0.5, 1.0]
    assert [(notice.attempt, notice.retry_in_s) for notice in desk.notices] == [(1, 0.5), (2, 1.0)]
    assert desk.notices[1].error is broken


async def test_gives_up_with_the_last_error_and_how_often_it_tried() -> None:
    errors: list[Said] = [ModelUnavailable(str(number)) for number in range(9)]
    desk = Desk(errors)
    with pytest.raises(ModelUnavailable, match="3") as caught:
        await desk.caller.call(REQUEST, on_failure=desk.note)
    assert caught.value.attempts == 4
    assert len(desk.model.requests) == 4
    assert [notice.attempt for notice in desk.notices] == [1, 2, 3, 4]
    assert desk.notices[-1].retry_in_s is None


async def test_does_not_try_again_what_was_refused() -> None:
    desk = Desk([ModelRefused("no"), "never"])
    with pytest.raises(ModelRefused) as caught:
        await desk.caller.call(REQUEST, on_failure=desk.note)
    assert caught.value.attempts == 1
    assert (len(desk.model.requests), desk.clock.slept) == (1, [])
    assert [notice.retry_in_s for notice in desk.notices] == [None]


async def test_is_more_patient_with_rate_limits_which_pass_by_themselves() -> None:
    desk = Desk([*[RateLimited("slow down") for _ in range(7)], "at last"])
    assert (await desk.caller.call(REQUEST)).attempts == 8


async def test_estimates_what_a_reply_that_broke_off_has_cost() -> None:
    desk = Desk([ReplyBroken("cut", written=400), "whole"])
    await desk.caller.call(REQUEST, on_failure=desk.note)
    usage = desk.notices[0].usage
    assert (usage.output_tokens, usage.cost_usd, usage.is_estimated) == (100, 0.25, True)


async def test_a_budget_that_was_spent_is_bought_again_at_once_and_only_once() -> None:
    used = Usage(input_tokens=9, output_tokens=700, thought_tokens=700)
    spent = BudgetSpent("it thought too long", usage=used)
    desk = Desk([ModelUnavailable("busy"), spent, "yes"])
    assert (await desk.caller.call(REQUEST, on_failure=desk.note)).attempts == 3
    assert desk.notices[1].retry_in_s == 0.0
    assert desk.notices[1].usage == msgspec.structs.replace(used, cost_usd=0.25)
    twice = Desk([spent, spent, "yes"])
    with pytest.raises(BudgetSpent):
        await twice.caller.call(REQUEST, on_failure=twice.note)
    assert [one.retry_in_s for one in twice.notices] == [0.0, None]


async def test_a_budget_that_cannot_grow_is_not_bought_again() -> None:
    spent = BudgetSpent("it thought too long")
    spent.retryable = False
    desk = Desk([spent, "yes"])
    with pytest.raises(BudgetSpent):
        await desk.caller.call(REQUEST, on_failure=desk.note)
    assert [one.usage for one in desk.notices] == [Usage()]


async def test_does_not_buy_a_reply_again_that_was_too_large() -> None:
    desk = Desk([ReplyTooLarge("50 MB"), "never"])
    with pytest.raises(ReplyTooLarge):
        await desk.caller.call(REQUEST)
    assert len(desk.model.requests) == 1


async def test_waits_as_long_as_the_provider_asks_and_holds_the_gate() -> None:
    desk = Desk([RateLimited("slow down", retry_after_s=20), "yes"])
    await desk.caller.call(REQUEST, on_failure=desk.note)
    assert desk.clock.monotonic() >= 20
    assert desk.notices[0].retry_in_s == pytest.approx(20.5)


async def test_a_rate_limit_met_by_one_caller_holds_back_the_other() -> None:
    desk = Desk([RateLimited("slow down", retry_after_s=20), "one", "two"])
    started: list[float] = []

    async def other(_notice: AttemptNotice) -> None:
        await desk.caller.call(REQUEST)
        started.append(desk.clock.monotonic())

    await desk.caller.call(REQUEST, on_failure=other)
    assert started == [20]


async def test_cancellation_passes_through() -> None:
    async def for_ever(_seconds: float) -> None:
        await asyncio.Event().wait()

    desk = Desk([])
    desk.caller._backend = ScriptedModel(sleep=for_ever)
    task = asyncio.create_task(desk.caller.call(REQUEST, on_failure=desk.note))
    await asyncio.sleep(0.001)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert desk.notices == []


def test_pauses_are_bounded_however_often_it_fails() -> None:
    policy = RetryPolicy()
    assert policy.delay_s(1, 0.0) == 0
    assert policy.delay_s(10**9, 1.0) == 30


async def test_keeps_a_cost_that_the_provider_stated() -> None:
    model = ScriptedModel(["x"])
    reply = await model.reply(REQUEST)
    stated = msgspec.structs.replace(reply, usage=Usage(cost_usd=1.0))
    desk = Desk([stated])
    assert (await desk.caller.call(REQUEST)).usage.cost_usd == 1.0


async def test_any_error_but_a_models_own_is_nobodys_to_repeat() -> None:
    desk = Desk([])
    with pytest.raises(ModelError, match="no more replies"):
        await desk.caller.call(REQUEST)
