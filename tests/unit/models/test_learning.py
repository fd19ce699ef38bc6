"""Of calls that begin at once and ask for something new, one goes ahead."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

import pytest

from moot.errors import BudgetSpent, ModelUnavailable
from moot.models.gate import Gate
from moot.models.learning import Kind, Outcome, Scouts, kind_of
from moot.models.port import ChatReply, ChatRequest, OnText
from moot.models.retry import Retrying, RetryPolicy
from moot.protocol.answers import Schema
from moot.protocol.values import Message, Sampling, Usage
from moot.protocol.words import Effort, Finish

REQUEST = ChatRequest(model="m", messages=[Message(role="user", content="Well?")])
PLAIN = kind_of(REQUEST, is_streamed=False)
OTHER: Kind = ("another",)
REPLY = ChatReply(content="So.", finish=Finish.STOP, usage=Usage(), model="m", duration_ms=1)
AWAY = ModelUnavailable("away"), 1


class Server:
    """Answers each call when it is told to, in the order in which they came."""

    def __init__(self) -> None:
        self.calls: list[asyncio.Future[Outcome]] = []

    async def __call__(self) -> Outcome:
        self.calls.append(asyncio.get_running_loop().create_future())
        return await self.calls[-1]

    async def answer(self, number: int, outcome: Outcome = REPLY) -> None:
        self.calls[number].set_result(outcome)
        await settled()


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def at_once(
    scouts: Scouts, send: Callable[[], Awaitable[Outcome]], *kinds: Kind
) -> list[asyncio.Task[Outcome]]:
    tasks = [asyncio.ensure_future(scouts.send(kind, send)) for kind in kinds]
    await settled()
    return tasks


async def test_the_others_wait_for_the_first_and_then_go_all_at_once() -> None:
    scouts, server = Scouts(is_known=False), Server()
    tasks = await at_once(scouts, server, PLAIN, PLAIN, PLAIN)
    assert len(server.calls) == 1
    assert not scouts.know(PLAIN)
    await server.answer(0)
    assert len(server.calls) == 3
    assert scouts.know(PLAIN)
    await server.answer(1)
    await server.answer(2)
    assert [await task for task in tasks] == [REPLY] * 3


async def test_each_kind_has_a_scout_of_its_own_one_after_the_other() -> None:
    scouts, server = Scouts(is_known=False), Server()
    tasks = await at_once(scouts, server, PLAIN, OTHER, OTHER)
    await server.answer(0)
    assert len(server.calls) == 2
    await server.answer(1)
    assert len(server.calls) == 3
    await server.answer(2)
    await asyncio.gather(*tasks)


async def test_a_spent_budget_teaches_as_an_answer_does() -> None:
    scouts, server = Scouts(is_known=False), Server()
    tasks = await at_once(scouts, server, PLAIN, PLAIN, PLAIN)
    await server.answer(0, (BudgetSpent("all in thoughts"), 1))
    assert len(server.calls) == 3
    assert scouts.know(PLAIN)
    for task in tasks:
        task.cancel()


async def test_nobody_waits_twice_in_an_outage() -> None:
    scouts, server = Scouts(is_known=False), Server()
    tasks = await at_once(scouts, server, PLAIN, OTHER, PLAIN)
    await server.answer(0, AWAY)
    assert len(server.calls) == 3
    assert not scouts.know(PLAIN)
    for task in tasks:
        task.cancel()


async def test_a_scout_that_is_dropped_holds_nobody_up() -> None:
    scouts, server = Scouts(is_known=False), Server()
    first, second = await at_once(scouts, server, PLAIN, PLAIN)
    first.cancel()
    await settled()
    assert len(server.calls) == 2
    await server.answer(1)
    assert await second is REPLY
    third = await at_once(scouts, server, PLAIN)
    assert len(server.calls) == 3
    third[0].cancel()


async def test_a_scout_that_takes_its_time_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("moot.models.learning.MOST_SCOUT_S", 0)
    scouts, server = Scouts(is_known=False), Server()
    tasks = await at_once(scouts, server, PLAIN, PLAIN, OTHER)
    assert len(server.calls) == 3
    for number in range(3):
        await server.answer(number)
    assert [await task for task in tasks] == [REPLY] * 3
    assert scouts.know(PLAIN)


async def test_who_waits_can_be_dropped_alone() -> None:
    scouts, server = Scouts(is_known=False), Server()
    first, second, third = await at_once(scouts, server, PLAIN, PLAIN, PLAIN)
    second.cancel()
    await server.answer(0)
    assert await first is REPLY
    assert len(server.calls) == 2
    await server.answer(1)
    assert await third is REPLY


async def test_who_waits_for_a_scout_has_not_begun() -> None:
    """So a stop drops it, instead of letting it ask when the scout is back."""
    backend = Backend()
    policy = RetryPolicy()
    caller = Retrying(
        backend=backend,
        model="m",
        gate=Gate(max_concurrent=9),
        policy=policy,
        price=lambda _model, _usage: None,
        scouts=Scouts(is_known=False),
    )
    begun: list[int] = []
    tasks = [
        asyncio.ensure_future(caller.call(REQUEST, on_begin=partial(begun.append, number)))
        for number in (1, 2)
    ]
    await settled()
    assert begun == [1]
    backend.may_answer.set()
    await asyncio.gather(*tasks)
    assert begun == [1, 2]


class Backend:
    def __init__(self) -> None:
        self.may_answer = asyncio.Event()

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        await self.may_answer.wait()
        return REPLY

    async def close(self) -> None:
        pass


@pytest.mark.parametrize("is_streamed", [False, True])
def test_a_known_model_is_asked_plain_things_without_a_scout(is_streamed: bool) -> None:
    known = Scouts(is_known=True)
    typed = ChatRequest(
        model="m", messages=REQUEST.messages, schema=Schema(name="s", body={"type": "object"})
    )
    assert known.know(kind_of(REQUEST, is_streamed=is_streamed))
    assert known.know(kind_of(typed, is_streamed=is_streamed))
    wish = Sampling(temperature=0.5)
    wished = ChatRequest(model="m", messages=REQUEST.messages, sampling=wish)
    assert not known.know(kind_of(wished, is_streamed=is_streamed))


def test_kinds_differ_by_what_a_server_may_refuse_and_by_nothing_else() -> None:
    def of(**wishes: object) -> Kind:
        sampling = Sampling(**wishes)  # type: ignore[arg-type]
        return kind_of(
            ChatRequest(model="m", messages=REQUEST.messages, sampling=sampling), is_streamed=True
        )

    assert of(temperature=0.1, seed=1) == of(temperature=0.9, seed=2)
    assert of(reasoning_effort=Effort.LOW) != of(reasoning_effort=Effort.MINIMAL)
    assert of() != of(top_p=0.5)
