from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator

import msgspec
import pytest

from moot.errors import (
    BudgetSpent,
    KeyRefused,
    ModelError,
    ModelNotOffered,
    ModelRefused,
    ModelUnavailable,
    QuotaUsedUp,
    RateLimited,
    ReplyBroken,
    ReplyTooLarge,
)
from moot.models.gate import Gate
from moot.models.port import AttemptNotice, ChatReply, ChatRequest, OnText
from moot.models.retry import Offered, Retrying, RetryPolicy
from moot.protocol.values import Message, Usage
from moot.protocol.words import Finish
from moot.testing.clock import FakeClock
from moot.testing.scripted import Said, ScriptedModel

REQUEST = ChatRequest(
    model="ignored", messages=[Message(role="user", content="Well?")], patience_s=600
)


def patient(seconds: float) -> ChatRequest:
    return msgspec.structs.replace(REQUEST, patience_s=seconds)


class Desk:
    """A caller over a script, on a clock of its own, with no chance in it."""

    def __init__(self, script: Iterable[Said], *, offered: Offered | None = None) -> None:
        self.clock = FakeClock()
        self.model = ScriptedModel(script)
        self.gate = Gate(4, clock=self.clock.monotonic, sleep=self.clock.sleep)
        self.notices: list[AttemptNotice] = []
        self.caller = Retrying(
            backend=self.model,
            model="gpt-5",
            gate=self.gate,
            policy=RetryPolicy(),
            price=lambda model, usage: 0.25 if model == "gpt-5" else None,
            offered=offered,
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
    assert desk.model.requests[0].model == "gpt-5"


async def test_tries_again_with_growing_pauses_and_tells() -> None:
    broken = ReplyBroken("cut off")
    desk = Desk([ModelUnavailable("503"), broken, "at last"])
    reply = await desk.caller.call(REQUEST, on_failure=desk.note)
    assert (reply.content, reply.attempts) == ("at last", 3)
    assert desk.clock.slept == [0.5, 1.0]
    assert [(notice.attempt, notice.retry_in_s) for notice in desk.notices] == [(1, 0.5), (2, 1.0)]
    assert desk.notices[1].error is broken


def down() -> Iterator[Said]:
    while True:
        yield ModelUnavailable("openai: no connection: refused")


async def test_waits_out_an_outage_for_as_long_as_the_request_has_patience() -> None:
    desk = Desk(down())
    with pytest.raises(ModelUnavailable) as caught:
        await desk.caller.call(REQUEST, on_failure=desk.note)
    assert str(caught.value) == "openai has not answered for 10 minutes: no connection: refused"
    assert (caught.value.attempts, caught.value.waited_s) == (len(desk.notices), 600)
    # Twice as long each time, and then every half minute: a log of ten minutes stays short.
    assert desk.clock.slept[:8] == [0.5, 1, 2, 4, 8, 16, 30, 30]
    assert desk.clock.monotonic() == 600
    assert len(desk.notices) < 30
    assert desk.notices[-1].retry_in_s is None


@pytest.mark.parametrize("patience_s", [0, 1.2])
async def test_has_no_more_patience_than_it_was_given(patience_s: float) -> None:
    desk = Desk(down())
    with pytest.raises(ModelUnavailable):
        await desk.caller.call(patient(patience_s), on_failure=desk.note)
    assert desk.clock.slept == ([0.5, 0.7] if patience_s else [])


async def test_counts_the_time_of_failed_tries_and_not_that_in_line() -> None:
    desk = Desk([])

    async def hanging(request: ChatRequest, on_text: object = None) -> ChatReply:
        desk.model.requests.append(request)
        await desk.clock.sleep(300)
        raise ModelUnavailable("openai: no whole reply within 300 s")

    desk.model.reply = hanging  # type: ignore[method-assign]
    with pytest.raises(ModelUnavailable, match="has not answered for 10 minutes"):
        await desk.caller.call(REQUEST)
    assert len(desk.model.requests) == 3


async def test_buys_a_reply_that_breaks_off_four_times_only() -> None:
    desk = Desk([ReplyBroken("cut") for _ in range(9)])
    with pytest.raises(ReplyBroken) as caught:
        await desk.caller.call(REQUEST)
    assert (str(caught.value), caught.value.attempts) == ("cut", 4)


async def test_a_broken_reply_at_the_beginning_of_an_outage_does_not_shorten_its_patience() -> None:
    desk = Desk([ReplyBroken("cut"), *[ModelUnavailable("down") for _ in range(9)], "at last"])
    assert (await desk.caller.call(REQUEST)).attempts == 11


async def test_a_budget_that_was_used_up_is_bought_once_more_at_once() -> None:
    usage = Usage(input_tokens=9, output_tokens=300, thought_tokens=300)
    desk = Desk([BudgetSpent("only thoughts", usage=usage), "with more room"])
    reply = await desk.caller.call(REQUEST, on_failure=desk.note)
    assert (reply.attempts, desk.clock.slept) == (2, [0.0])
    assert desk.notices[0].usage == msgspec.structs.replace(usage, cost_usd=0.25)


async def test_a_budget_is_not_bought_a_third_time() -> None:
    desk = Desk([BudgetSpent(f"only thoughts {number}") for number in range(9)])
    with pytest.raises(BudgetSpent, match="1") as caught:
        await desk.caller.call(REQUEST, on_failure=desk.note)
    assert caught.value.attempts == len(desk.notices) == 2


@pytest.mark.parametrize("refusal", [KeyRefused, QuotaUsedUp, ModelNotOffered, ModelRefused])
async def test_does_not_wait_for_what_somebody_must_change(refusal: type[ModelError]) -> None:
    desk = Desk([refusal("no"), "never"])
    with pytest.raises(refusal):
        await desk.caller.call(REQUEST)
    assert (len(desk.model.requests), desk.clock.slept) == (1, [])


async def test_names_what_is_offered_in_place_of_a_model_that_is_not() -> None:
    async def offered() -> tuple[str, ...]:
        return ("gpt-6-mini", "gpt-6", "whisper-1")

    desk = Desk([ModelNotOffered("openai: 404")], offered=offered)
    with pytest.raises(ModelNotOffered) as caught:
        await desk.caller.call(REQUEST, on_failure=desk.note)
    message = "gpt-5 is not offered here; nearest: gpt-6, gpt-6-mini (openai: 404)"
    assert str(caught.value) == message
    assert desk.notices[0].error is caught.value


async def test_tells_when_a_try_is_sent_and_not_while_it_waits() -> None:
    desk = Desk([RateLimited("slow down", retry_after_s=20), "yes"])
    sent: list[float] = []
    await desk.caller.call(REQUEST, on_begin=lambda: sent.append(desk.clock.monotonic()))
    assert sent == [0, 20.5]


async def test_does_not_try_again_what_was_refused() -> None:
    desk = Desk([ModelRefused("no"), "never"])
    with pytest.raises(ModelRefused) as caught:
        await desk.caller.call(REQUEST, on_failure=desk.note)
    assert caught.value.attempts == 1
    assert (len(desk.model.requests), desk.clock.slept) == (1, [])
    assert [notice.retry_in_s for notice in desk.notices] == [None]


async def test_waits_as_patiently_when_it_is_turned_away() -> None:
    desk = Desk([*[RateLimited("openai: 429") for _ in range(20)], "at last"])
    assert (await desk.caller.call(REQUEST)).attempts == 21
    desk = Desk([RateLimited("openai: 429") for _ in range(99)])
    with pytest.raises(RateLimited, match="openai has turned the call away for 10 minutes: 429"):
        await desk.caller.call(REQUEST)


async def test_does_not_come_back_before_it_may_only_because_patience_is_short() -> None:
    desk = Desk([RateLimited("openai: 429", retry_after_s=20), "never"])
    with pytest.raises(RateLimited):
        await desk.caller.call(patient(10), on_failure=desk.note)
    assert (len(desk.model.requests), desk.clock.slept) == (1, [])


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
    assert policy.delay_s(1, 0.0) == 0.25
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


# --- silence -------------------------------------------------------------------------------------


class Slow:
    """A backend that writes a piece every so many seconds of a clock that it moves itself."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, every_s: float, pieces: list[str]) -> None:
        self._now = 0.0
        self._every_s = every_s
        self._pieces = pieces
        loop = asyncio.get_running_loop()
        start = loop.time()
        monkeypatch.setattr(loop, "time", lambda: start + self._now)

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        for piece in self._pieces:
            self._now += self._every_s
            for _ in range(3):  # so that a timer that is due is heard
                await asyncio.sleep(0)
            assert on_text is not None
            on_text(piece)
        content = "".join(self._pieces)
        return ChatReply(
            content=content, finish=Finish.STOP, usage=Usage(), model="gpt-5", duration_ms=1
        )

    async def close(self) -> None:
        pass


def listening(backend: Slow) -> Retrying:
    return Retrying(
        backend=backend,
        model="gpt-5",
        gate=Gate(4),
        policy=RetryPolicy(),
        price=lambda _model, _usage: None,
    )


WAITING = msgspec.structs.replace(REQUEST, silence_s=30, patience_s=0)


async def test_a_reply_that_flows_is_never_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = Slow(monkeypatch, every_s=20, pieces=["", "a", "", "", "b", "c"])
    heard: list[str] = []
    reply = await listening(backend).call(WAITING, heard.append)
    assert (reply.content, heard) == ("abc", ["a", "b", "c"])


async def test_it_listens_also_if_nobody_wants_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = Slow(monkeypatch, every_s=20, pieces=["a", "b", "c"])
    assert (await listening(backend).call(WAITING)).content == "abc"


async def test_silence_ends_an_attempt_however_much_was_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    backend = Slow(monkeypatch, every_s=31, pieces=["a", "b"])
    heard: list[str] = []
    with pytest.raises(ModelUnavailable, match="nothing was heard for 30 s"):
        await listening(backend).call(WAITING, heard.append)
    assert heard == []
