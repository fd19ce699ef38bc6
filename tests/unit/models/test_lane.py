"""How many calls at once: learned from what the provider refuses, in time that costs nothing."""

from __future__ import annotations

import asyncio
from collections import deque
from itertools import pairwise

import msgspec
import pytest
from tests.unit.models.virtual_time import now_s, run

from moot.errors import RateLimited
from moot.models.gate import Gate
from moot.models.port import ChatReply, ChatRequest, OnText
from moot.models.retry import Retrying, RetryPolicy
from moot.protocol.values import Message, Usage
from moot.protocol.words import Finish

REQUEST = ChatRequest(model="m", messages=[Message(role="user", content="Well?")])
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
@pytest.mark.parametrize("retry_after_s", [None, 1.0])
def test_200_debates_share_40_calls_a_second(call_s: float, retry_after_s: float | None) -> None:
    limits = Limits(calls=40, call_s=call_s, retry_after_s=retry_after_s)
    provider = Provider(limits)
    run(play(provider, debates=200, calls=12))
    answered, refused = len(provider.answered), len(provider.refused)
    assert answered == 2400
    assert answered / provider.answered[-1] >= 30
    assert refused / (answered + refused) <= 0.1
