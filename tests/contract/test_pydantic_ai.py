"""The adapter over pydantic-ai, with its own test models in place of a provider."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from moot.errors import (
    BudgetSpent,
    KeyRefused,
    ModelError,
    ModelNotOffered,
    ModelRefused,
    ModelUnavailable,
    NoModel,
    ParameterRefused,
    QuotaUsedUp,
    RateLimited,
    ReplyBroken,
)
from moot.models.backends.pydantic_ai import PydanticAI
from moot.models.endpoint import Endpoint
from moot.models.port import ChatRequest
from moot.protocol.answers import Schema
from moot.protocol.values import Message, Sampling, Usage
from moot.protocol.words import Effort, Finish

REASON = "the extra is not installed: pip install 'moot[providers]'"
theirs: Any = pytest.importorskip("pydantic_ai.exceptions", reason=REASON)
parts: Any = pytest.importorskip("pydantic_ai.messages", reason=REASON)
function_model: Any = pytest.importorskip("pydantic_ai.models.function", reason=REASON)
wrapper_model: Any = pytest.importorskip("pydantic_ai.models.wrapper", reason=REASON)
request_usage: Any = pytest.importorskip("pydantic_ai.usage", reason=REASON).RequestUsage

ENDPOINT = Endpoint(
    provider="anthropic", base_url="https://api.anthropic.com", api_key="sk-CANARY-1"
)
SCHEMA = Schema("score", {"type": "object", "properties": {"score": {"type": "integer"}}})
HISTORY = [
    Message(role="system", content="You are Ada."),
    Message(role="user", content="Open."),
    Message(role="assistant", content="I open."),
    Message(role="user", content="Close."),
]


def request(**changes: Any) -> ChatRequest:
    fields: dict[str, Any] = {"model": "m", "messages": HISTORY, "max_tokens": 50}
    return ChatRequest(**fields | changes)


def backend(answer: Any = None, stream: Any = None, **profile: Any) -> tuple[PydanticAI, list[Any]]:
    """The adapter over a function, and what the function was sent."""
    sent: list[Any] = []

    async def function(messages: Any, info: Any) -> Any:
        sent.append((messages, info))
        return await answer()

    async def stream_function(messages: Any, info: Any) -> AsyncIterator[str]:
        sent.append((messages, info))
        async for piece in stream():
            yield piece

    class Finishing(wrapper_model.WrapperModel):  # type: ignore[misc]  # of an optional package
        """Test models set no finish reason on streams; providers do."""

        @asynccontextmanager
        async def request_stream(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
            async with super().request_stream(*args, **kwargs) as opened:
                opened.finish_reason = profile.get("finish", "stop")
                yield opened

    functions: dict[str, Any] = {"function": function} if answer else {}
    if stream:
        functions["stream_function"] = stream_function
    can = {"supports_json_schema_output": True} if profile.get("has_schema") else {}
    can |= {"supports_thinking": True} if profile.get("thinks") else {}
    model = Finishing(function_model.FunctionModel(**functions, profile=can))
    return PydanticAI(endpoint=ENDPOINT, make_model=lambda name: model), sent


def says(text: str, **fields: Any) -> Any:
    async def answer() -> Any:
        usage = request_usage(input_tokens=100, output_tokens=7, cache_read_tokens=60)
        defaults = {"usage": usage, "finish_reason": "stop"}
        return parts.ModelResponse(parts=[parts.TextPart(content=text)], **defaults | fields)

    return answer


def raises(error: BaseException) -> Any:
    async def answer() -> Any:
        raise error

    return answer


async def test_answers_with_clean_text_and_usage() -> None:
    model, sent = backend(says("He\x00llo\x1b[31m there\ud800"))
    reply = await model.reply(request())
    assert reply.content == "Hello there\ufffd"
    assert reply.finish is Finish.STOP
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (100, 7)
    assert reply.usage.cached_tokens == 60
    assert reply.usage.cost_usd is None
    (messages, info) = sent[0]
    seen = [(type(part).__name__, part.content) for each in messages for part in each.parts]
    assert seen == [
        ("SystemPromptPart", "You are Ada."),
        ("UserPromptPart", "Open."),
        ("TextPart", "I open."),
        ("UserPromptPart", "Close."),
    ]
    assert info.model_settings["max_tokens"] == 50
    assert info.model_settings["max_retries"] == 0


@pytest.mark.parametrize(
    ("reason", "ours"),
    [("length", Finish.LENGTH), ("content_filter", Finish.FILTER), ("error", Finish.OTHER)],
)
async def test_says_why_it_stopped(reason: str, ours: Finish) -> None:
    model, _ = backend(says("x", finish_reason=reason))
    assert (await model.reply(request())).finish is ours


async def test_blank_reply_is_no_error() -> None:
    model, _ = backend(says(""))
    assert (await model.reply(request())).content == ""


async def test_streams_what_it_returns() -> None:
    async def pieces() -> AsyncIterator[str]:
        for piece in ("He\x1b", "[31mllo", " wor", "ld"):
            yield piece

    heard: list[str] = []
    model, _ = backend(stream=pieces)
    reply = await model.reply(request(), heard.append)
    assert "".join(heard) == reply.content == "Hello world"


async def test_stream_without_an_end_is_no_reply() -> None:
    async def pieces() -> AsyncIterator[str]:
        yield "Hello"

    model, _ = backend(stream=pieces, finish=None)
    with pytest.raises(ReplyBroken):
        await model.reply(request(), lambda piece: None)


@pytest.mark.parametrize("has_schema", [True, False])
async def test_hands_over_the_schema_where_it_helps(has_schema: bool) -> None:
    model, sent = backend(says('{"score": 3}'), has_schema=has_schema)
    await model.reply(request(schema=SCHEMA))
    parameters = sent[0][1].model_request_parameters
    assert parameters.output_mode == ("native" if has_schema else "text")
    if has_schema:
        assert parameters.output_object.json_schema["properties"] == {"score": {"type": "integer"}}


def foreign_errors() -> list[tuple[Any, type[ModelError]]]:
    def http(category: Any, status: int, name: str, **fields: Any) -> Any:
        return theirs.ModelHTTPError.for_category(
            category, status_code=status, model_name=name, **fields
        )

    return [
        (http(theirs.ModelRateLimitError, 429, "m", retry_after=7.0), RateLimited),
        (http(theirs.ModelQuotaExceededError, 402, "m"), QuotaUsedUp),
        (http(theirs.ModelRequestRejectedError, 400, "m"), ModelRefused),
        (http(theirs.ModelAuthenticationError, 401, "m", body="sk-CANARY-1"), KeyRefused),
        (http(theirs.ModelNotFoundError, 404, "m"), ModelNotOffered),
        (http(theirs.ModelContextWindowExceededError, 400, "m", body="max_tokens"), ModelRefused),
        (http(theirs.ModelOverloadedError, 529, "m"), ModelUnavailable),
        (http(theirs.ModelServerError, 500, "m"), ModelUnavailable),
        (http(None, 409, "m"), ModelUnavailable),
        (http(None, 418, "m"), ModelRefused),
        (theirs.ModelConnectionError("m", "reset"), ModelUnavailable),
        (theirs.ContentFilterError("filtered"), ModelRefused),
        (theirs.UnexpectedModelBehavior("nonsense"), ReplyBroken),
        (theirs.UserError("wrong"), ModelRefused),
        (OSError("no route"), ModelUnavailable),
        (KeyError("sk-CANARY-1"), ModelUnavailable),
    ]


async def test_every_foreign_error_becomes_ours_without_the_key() -> None:
    for error, ours in foreign_errors():
        model, _ = backend(raises(error))
        with pytest.raises(ModelError) as caught:
            await model.reply(request())
        assert type(caught.value) is ours, error
        assert "CANARY" not in str(caught.value)
        assert caught.value.__cause__ is None
        if isinstance(caught.value, RateLimited):
            assert caught.value.retry_after_s == 7.0


@pytest.mark.parametrize(
    ("words", "parameter"),
    [
        ("`temperature` may only be set to 1 when thinking is enabled.", "temperature"),
        ("thinking is not supported by this model", "reasoning_effort"),
        ("output_config.format: structured output is not supported", "json_schema"),
        ("tools are not supported", "tools"),
    ],
)
async def test_says_which_parameter_was_refused(words: str, parameter: str) -> None:
    error = theirs.ModelHTTPError.for_category(
        theirs.ModelRequestRejectedError, status_code=400, model_name="m", body=words
    )
    model, _ = backend(raises(error))
    with pytest.raises(ParameterRefused) as caught:
        await model.reply(request())
    assert caught.value.parameter == parameter


async def test_sends_sampling_and_room_for_thoughts() -> None:
    model, sent = backend(says("Yes."), thinks=True)
    sampling = Sampling(temperature=0.5, top_p=0.9, seed=7, reasoning_effort=Effort.LOW)
    await model.reply(request(sampling=sampling, allowance=1000))
    await model.reply(request(sampling=Sampling(reasoning_effort=Effort.NONE)))
    await model.reply(request(refused=frozenset({"max_tokens"})))
    first, _, third = (one[1].model_settings for one in sent)
    wished = {"temperature": 0.5, "top_p": 0.9, "seed": 7, "max_tokens": 1050}
    assert first.items() >= wished.items()
    assert not third.keys() & wished.keys()
    thinking = [one[1].model_request_parameters.thinking for one in sent]
    assert thinking == ["low", False, None]


async def test_keeps_thoughts_apart_and_counts_them() -> None:
    async def answer() -> Any:
        return parts.ModelResponse(
            parts=[parts.ThinkingPart(content="Hm."), parts.TextPart(content="Yes.")],
            usage=request_usage(input_tokens=9, output_tokens=70, output_reasoning_tokens=60),
            finish_reason="stop",
        )

    model, _ = backend(answer)
    reply = await model.reply(request())
    assert (reply.content, reply.thought) == ("Yes.", "Hm.")
    assert (reply.usage.output_tokens, reply.usage.thought_tokens) == (70, 60)


async def test_a_budget_that_went_into_thoughts_is_an_error_of_its_own() -> None:
    model, _ = backend(says(" ", finish_reason="length"))
    with pytest.raises(BudgetSpent) as caught:
        await model.reply(request())
    assert caught.value.usage == Usage(input_tokens=100, output_tokens=7, cached_tokens=60)


async def test_leaves_out_a_schema_that_was_refused() -> None:
    model, sent = backend(says("{}"), has_schema=True)
    await model.reply(request(schema=SCHEMA, refused=frozenset({"json_schema"})))
    assert sent[0][1].model_request_parameters.output_mode == "text"


async def test_deadline_and_cancellation_reach_the_call() -> None:
    ended: list[str] = []

    async def hang() -> Any:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("ended")

    model, _ = backend(hang)
    with pytest.raises(ModelUnavailable, match="longer than"):
        await model.reply(request(deadline_s=0.05))
    call = asyncio.create_task(model.reply(request()))
    await asyncio.sleep(0.05)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert ended == ["ended", "ended"]


@pytest.mark.parametrize("provider", ["anthropic", "google"])
async def test_real_sdk_makes_one_attempt_and_no_more(provider: str) -> None:
    asked: list[bytes] = []

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
        asked.append(await reader.readexactly(length))
        body = b'{"error": {"message": "busy", "type": "overloaded_error"}}'
        writer.write(
            b"HTTP/1.1 503 Busy\r\nContent-Type: application/json\r\nConnection: close\r\n"
            b"Content-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body
        )
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    where = Endpoint(provider=provider, base_url=f"http://127.0.0.1:{port}", api_key="sk-CANARY-1")
    model = PydanticAI(endpoint=where)
    low = Sampling(reasoning_effort=Effort.LOW)
    name = {"anthropic": "claude-haiku-4-5", "google": "gemini-2.5-flash"}[provider]
    try:
        with pytest.raises(ModelUnavailable):
            await model.reply(request(model=name, deadline_s=30, sampling=low, allowance=8000))
    finally:
        await model.close()
        await model.close()
        server.close()
        await server.wait_closed()
    assert len(asked) == 1
    assert b'"thinking' in asked[0]
    assert b"8050" in asked[0]


async def test_says_how_to_install_what_is_missing() -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError("No module named 'anthropic'")

    model = PydanticAI(endpoint=ENDPOINT, make_model=missing)
    with pytest.raises(NoModel, match=r"pip install 'moot\[providers\]'"):
        await model.reply(request())
