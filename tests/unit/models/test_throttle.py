"""How many calls at once: learned from what the provider refuses, in time that costs nothing."""

from __future__ import annotations

import asyncio
import random
from collections import deque

import msgspec
import pytest
from tests.unit.models.virtual_time import now_s, run

from moot.errors import RateLimited
from moot.models.gate import Gate
from moot.models.port import ChatReply, ChatRequest, OnText
from moot.models.retry import Retrying, RetryPolicy
from moot.protocol.values import Message, Usage
from moot.protocol.words import Finish

REQUEST = ChatRequest(model="m", messages=[Message(role="user", content="Well?")], patience_s=600)
REPLY = ChatReply(content="yes", finish=Finish.STOP, usage=Usage(), model="m", duration_ms=1)


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What a provider allows: `calls` in any `per_s`, or so many at once."""

    calls: int = 10**9
    per_s: float = 1.0
    at_once: int = 10**9
    call_s: float = 0.5
    retry_after_s: float | None = None


class Provider:
    """A backend that turns away what is too much, as real ones do."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.accepted: deque[float] = deque()
        self.answered: list[float] = []
        self.refused: list[float] = []
        self.under_way = 0

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        limits, now = self.limits, now_s()
        while self.accepted and self.accepted[0] <= now - limits.per_s:
            self.accepted.popleft()
        if len(self.accepted) >= limits.calls or self.under_way >= limits.at_once:
            self.refused.append(now)
            await asyncio.sleep(0.005)
            raise RateLimited("429", retry_after_s=limits.retry_after_s)
        self.accepted.append(now)
        self.under_way += 1
        await asyncio.sleep(limits.call_s)
        self.under_way -= 1
        self.answered.append(now_s())
        return REPLY

    async def close(self) -> None:
        pass


def caller(provider: Provider, gate: Gate, model: str = "m") -> Retrying:
    return Retrying(
        backend=provider,
        model=model,
        gate=gate,
        policy=RetryPolicy(),
        price=lambda _model, _usage: None,
        jitter=random.Random(7).random,  # noqa: S311 - the same pauses each time
        clock=now_s,
    )


async def play(provider: Provider, *, debates: int, calls: int) -> None:
    """So many debates, each of which makes its calls one after the other. Raises if one fails."""
    asking = caller(provider, Gate(64, clock=now_s))

    async def debate() -> None:
        for _ in range(calls):
            await asking.call(REQUEST)

    async with asyncio.TaskGroup() as group:
        for _ in range(debates):
            group.create_task(debate())


@pytest.mark.parametrize("call_s", [0.005, 0.05, 0.5, 1.5])
@pytest.mark.parametrize("retry_after_s", [None, 1.0, 5.0])
def test_200_debates_share_40_calls_a_second(call_s: float, retry_after_s: float | None) -> None:
    limits = Limits(calls=40, call_s=call_s, retry_after_s=retry_after_s)
    provider = Provider(limits)
    run(play(provider, debates=200, calls=12))
    answered, refused = len(provider.answered), len(provider.refused)
    assert answered == 2400
    assert answered / provider.answered[-1] >= 30
    assert refused / (answered + refused) <= 0.1


@pytest.mark.parametrize("retry_after_s", [None, 5.0])
def test_it_makes_no_difference_that_some_calls_take_longer(retry_after_s: float | None) -> None:
    limits = Limits(calls=40, call_s=0.5, retry_after_s=retry_after_s)
    chance = random.Random(7)  # noqa: S311 - how long a model thinks

    class Uneven(Provider):
        async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
            self.limits = msgspec.structs.replace(limits, call_s=chance.uniform(0.1, 0.9))
            return await super().reply(request, on_text)

    provider = Uneven(limits)
    run(play(provider, debates=200, calls=12))
    answered, refused = len(provider.answered), len(provider.refused)
    assert answered / provider.answered[-1] >= 30
    assert refused / (answered + refused) <= 0.1


def test_finds_out_how_many_calls_at_once_are_allowed() -> None:
    provider = Provider(Limits(at_once=10))
    run(play(provider, debates=40, calls=20))
    answered, refused = len(provider.answered), len(provider.refused)
    assert answered == 800
    assert answered / provider.answered[-1] >= 15  # 20 is all there is
    assert refused / (answered + refused) <= 0.1


def test_a_limit_by_the_minute_fails_nobody_and_leaves_little_unused() -> None:
    provider = Provider(Limits(calls=600, per_s=60, call_s=3, retry_after_s=7))
    run(play(provider, debates=100, calls=12))
    assert len(provider.answered) / provider.answered[-1] >= 8
    assert len(provider.refused) <= 120


def test_grows_again_once_more_is_allowed() -> None:
    async def main() -> float:
        provider = Provider(Limits(calls=10, call_s=0.1))
        playing = asyncio.create_task(play(provider, debates=100, calls=60))
        await asyncio.sleep(60)
        provider.limits = Limits(calls=200, call_s=0.1)
        await asyncio.sleep(30)
        before = len(provider.answered)
        await asyncio.sleep(5)
        playing.cancel()
        return (len(provider.answered) - before) / 5

    assert run(main()) >= 100


def test_a_single_refusal_slows_a_single_debate_down_by_seconds_only() -> None:
    async def main() -> None:
        provider = Provider(Limits(call_s=0.05, at_once=0))
        asking = caller(provider, Gate(64, clock=now_s))
        first = asyncio.create_task(asking.call(REQUEST))
        await asyncio.sleep(0.1)
        provider.limits = Limits(call_s=0.05)
        await first
        for _ in range(29):
            await asking.call(REQUEST)
        assert now_s() < 15

    run(main())


def test_a_low_limit_is_found_too() -> None:
    provider = Provider(Limits(calls=1, per_s=2, call_s=0.1))
    run(play(provider, debates=5, calls=20))
    assert len(provider.refused) / (100 + len(provider.refused)) <= 0.2


def test_nobody_is_held_up_where_nothing_is_refused() -> None:
    provider = Provider(Limits(call_s=1))
    run(play(provider, debates=64, calls=5))
    assert provider.answered[-1] == pytest.approx(5)


def test_waiters_wake_one_after_the_other_when_a_pause_is_over() -> None:
    async def main() -> list[float]:
        provider = Provider(Limits(calls=40, retry_after_s=20))
        asking = caller(provider, Gate(64, clock=now_s))
        async with asyncio.TaskGroup() as group:
            for _ in range(100):
                group.create_task(asking.call(REQUEST))
        return sorted(provider.answered)

    after = [at for at in run(main()) if at > 20]
    assert len(after) == 60
    assert max(sum(1 for one in after if at <= one < at + 0.1) for at in after) <= 16
    assert len(set(after)) > 40


def test_who_was_turned_away_comes_before_those_who_never_asked() -> None:
    async def main() -> list[str]:
        gate = Gate(1, clock=now_s)
        throttle, came = gate.throttle("m"), list[str]()

        async def call(name: str, *, is_again: bool = False) -> None:
            await throttle.enter(is_again=is_again)
            came.append(name)
            throttle.leave()

        await throttle.enter()
        async with asyncio.TaskGroup() as group:
            for name in ("first", "second"):
                group.create_task(call(name))
            await asyncio.sleep(0)
            group.create_task(call("again", is_again=True))
            await asyncio.sleep(0)
            throttle.leave()
        return came

    # The first is at the door already.
    assert run(main()) == ["first", "again", "second"]


@pytest.mark.parametrize("when", ["at the door", "in line", "just called"])
def test_who_gives_up_waiting_lets_the_next_in(when: str) -> None:
    async def main() -> None:
        throttle = Gate(1, clock=now_s).throttle("m")
        await throttle.enter()
        first, second, third = [asyncio.create_task(throttle.enter()) for _ in range(3)]
        await asyncio.sleep(0)
        if when == "at the door":
            first.cancel()
            throttle.leave()
            await second
        elif when == "in line":
            second.cancel()
            throttle.leave()
            await first
        else:
            throttle.leave()
            await first  # the second has just been called to the door
            second.cancel()
        throttle.leave()
        await asyncio.wait_for(third, 1)

    run(main())


def test_models_of_one_provider_learn_apart_and_pause_together() -> None:
    gate = Gate(4)
    throttle = gate.throttle("a")  # held, as callers do: a throttle that nobody holds is forgotten
    assert gate.throttle("a") is throttle
    gate.throttle("a").refused(began=float("inf"))
    assert gate.throttle("a").pace < gate.throttle("b").pace == float("inf")
