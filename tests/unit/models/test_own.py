"""Functions as models: every kind of function, and clear words when one of them fails."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from moot.errors import (
    FunctionFailed,
    InvalidInput,
    ModelRefused,
    ModelUnavailable,
    NoModel,
    RateLimited,
)
from moot.models.own import Messages, ModelFunction, WithOwn
from moot.models.port import ChatReply, ChatRequest, ModelFacts
from moot.protocol.answers import Schema
from moot.protocol.values import Message, Usage
from moot.testing.scripted import ScriptedModels

ASKED = (
    Message(role="system", content="You are Ada."),
    Message(role="user", content="Tea?"),
    Message(role="user", content="Or coffee?"),
)


def whole(messages: Messages) -> str:
    return f"Tea. {messages[-1]['content']}"


async def whole_later(messages: Messages) -> str:
    await asyncio.sleep(0)
    return whole(messages)


def pieces(messages: Messages) -> Iterator[str]:
    yield "Tea. "
    yield messages[-1]["content"]


async def pieces_later(messages: Messages) -> AsyncIterator[str]:
    for piece in pieces(messages):
        await asyncio.sleep(0)
        yield piece


class Callables:
    def __call__(self, messages: Messages) -> str:
        return whole(messages)


class AsyncCallables:
    async def __call__(self, messages: Messages) -> str:
        return whole(messages)


async def ask(
    function: Callable[..., Any], on_text: Callable[[str], None] | None = None, **request: Any
) -> ChatReply:
    models = WithOwn(ScriptedModels(), {"mine": function})
    wanted = {"patience_s": 0.0, "messages": ASKED, **request}
    return await models.get("mine").call(ChatRequest(model="mine", **wanted), on_text)


KINDS: dict[str, ModelFunction] = {
    "function": whole,
    "async function": whole_later,
    "generator": pieces,
    "async generator": pieces_later,
    "object": Callables(),
    "async object": AsyncCallables(),
    "partial": functools.partial(whole),
    "partial async generator": functools.partial(pieces_later),
    "function that gives a coroutine": lambda messages: whole_later([*messages]),
    "function that gives an async generator": lambda messages: pieces_later([*messages]),
}


@pytest.mark.parametrize("kind", KINDS)
async def test_every_kind_of_function_is_a_model(kind: str) -> None:
    told: list[str] = []
    reply = await ask(KINDS[kind], told.append)
    assert reply.content == "".join(told) == "Tea. Tea?\n\nOr coffee?"
    assert reply.model == "mine"
    assert reply.usage.is_estimated
    assert reply.usage.output_tokens > 0
    assert reply.usage.cost_usd is None


async def test_messages_are_plain_dictionaries_of_its_own_in_one_shape() -> None:
    seen: list[Messages] = []

    def changing(messages: Messages) -> str:
        seen.append([*messages])
        messages.clear()
        return "Tea."

    for _ in range(2):
        await ask(changing)
    assert seen[0] == seen[1]
    assert seen[0] == [
        {"role": "system", "content": "You are Ada."},
        {"role": "user", "content": "Tea?\n\nOr coffee?"},
    ]


async def test_is_asked_for_json_in_words() -> None:
    schema = Schema(name="score", body={"type": "object"})
    reply = await ask(whole, schema=schema)
    assert '{"type":"object"}' in reply.content


async def test_what_blocks_runs_in_a_thread_of_its_own() -> None:
    threads: list[threading.Thread] = []
    go_on = threading.Event()

    def blocking(messages: Messages) -> str:
        threads.append(threading.current_thread())
        go_on.wait(10)
        return "Tea."

    asking = [asyncio.create_task(ask(blocking)) for _ in range(40)]
    while len(threads) < 40:  # noqa: ASYNC110 - threads tell no event of a loop
        await asyncio.sleep(0)
    go_on.set()
    assert {reply.content for reply in await asyncio.gather(*asking)} == {"Tea."}
    assert len(set(threads)) == 40
    assert all(thread.daemon for thread in threads)


async def test_what_it_raises_names_it(caplog: pytest.LogCaptureFixture) -> None:
    def broken(messages: Messages) -> str:
        raise KeyError("temperature")

    def broken_later(messages: Messages) -> Iterator[str]:
        yield "Tea"
        next(iter(()))

    with pytest.raises(ModelRefused, match=r"the model 'mine' \(.*broken\) raised KeyError: 'temp"):
        await ask(broken)
    assert "KeyError" in caplog.text  # with the traceback, for its author
    with pytest.raises(ModelRefused, match=r"broken_later.* raised RuntimeError"):
        await ask(broken_later)


async def leaky(messages: Messages) -> str:
    waiting = asyncio.create_task(asyncio.sleep(10))
    waiting.cancel()
    await waiting
    return "Tea."


async def leaky_pieces(messages: Messages) -> AsyncIterator[str]:
    yield "Tea"
    raise GeneratorExit


@pytest.mark.parametrize(("function", "told"), [(leaky, "CancelledError"), (leaky_pieces, "Gen")])
async def test_an_end_that_nobody_asked_for_is_an_error_of_the_function(
    function: ModelFunction, told: str
) -> None:
    with pytest.raises(FunctionFailed, match=f"the model 'mine' .*leaky.* raised {told}"):
        await ask(function)


def running_out() -> ModelFunction:
    replies = iter(())
    return lambda messages: next(replies)


def raising(error: type[BaseException]) -> ModelFunction:
    def raised(messages: Messages) -> str:
        raise error

    return raised


def leaving() -> ModelFunction:
    async def later(messages: Messages) -> str:
        raise SystemExit(3)

    return later


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (running_out(), "StopIteration"),
        (leaving(), "SystemExit: 3"),
        *(
            (raising(error), error.__name__)
            for error in (
                *(SystemExit, KeyboardInterrupt, GeneratorExit, StopIteration),
                *(StopAsyncIteration, asyncio.CancelledError, TimeoutError),
            )
        ),
    ],
)
async def test_whatever_it_raises_ends_neither_the_process_nor_the_wait(
    function: ModelFunction, told: str
) -> None:
    with pytest.raises(FunctionFailed) as caught:
        await ask(function)
    assert str(caught.value).endswith(f" raised {told}")
    assert type(caught.value.__cause__).__name__ == told.partition(":")[0]


async def test_an_end_that_somebody_asked_for_is_none() -> None:
    begun = asyncio.Event()

    async def slow(messages: Messages) -> str:
        begun.set()
        await asyncio.Event().wait()
        return "Tea."

    asking = asyncio.create_task(ask(slow))
    await begun.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert asking.cancelled()


@pytest.mark.parametrize("said", [None, 7, b"tea", ["tea"]])
async def test_what_is_no_text_is_refused(said: object) -> None:
    with pytest.raises(ModelRefused, match="where text was expected"):
        await ask(lambda messages: said)


async def test_it_may_ask_for_patience() -> None:
    def busy(messages: Messages) -> str:
        raise RateLimited("not now")

    with pytest.raises(RateLimited, match="not now"):
        await ask(busy)


async def test_one_that_takes_too_long_is_left_to_itself() -> None:
    stopped = asyncio.Event()

    async def slow(messages: Messages) -> str:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return ""

    with pytest.raises(ModelUnavailable, match=r"'mine'.* took longer than 0\.01 s"):
        await ask(slow, deadline_s=0.01)
    assert stopped.is_set()


@pytest.mark.parametrize("name", ["", " mine", "my:model", "human", "openai"])
def test_refuses_names_that_mean_something_else(name: str) -> None:
    with pytest.raises(InvalidInput):
        WithOwn(ScriptedModels(), {name: whole})


def test_refuses_what_is_no_function() -> None:
    with pytest.raises(InvalidInput, match="not a function"):
        WithOwn(ScriptedModels(), {"mine": "whole"})  # type: ignore[dict-item]


async def test_all_other_models_are_there_as_before() -> None:
    others = ScriptedModels(facts=ModelFacts(context_window=9), price=lambda _model, _usage: 3.0)
    models = WithOwn(others, {"mine": whole})
    assert (await models.get("theirs").call(ChatRequest(model="", messages=ASKED))).content
    assert models.default(is_judge=True) == others.default(is_judge=True)
    assert models.facts("theirs").context_window == 9
    assert models.facts("mine").context_window is None
    assert models.price("theirs", Usage()) == 3.0
    assert models.price("mine", Usage()) is None
    for name in ("mine", "theirs"):
        assert models.held_for_s(name) == models.expected_s(name) == 0.0
        assert models.learned(name).refused == ()
    await models.close()


def test_what_nobody_has_is_refused_by_the_others() -> None:
    class Nobody(ScriptedModels):
        def get(self, name: str) -> Any:
            raise NoModel(name)

    with pytest.raises(NoModel):
        WithOwn(Nobody(), {"mine": whole}).get("Mine")
