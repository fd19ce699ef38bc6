"""Every way a provider can misbehave, streamed and not, and what becomes of it.

`WEATHER` is the whole truth: fault, and either the error or the reply that comes of it.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager

import msgspec
import pytest

from moot.errors import (
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
from moot.models.backends.openai_compatible import adapter, exchange
from moot.models.backends.openai_compatible.adapter import OpenAICompatible
from moot.models.endpoint import Endpoint
from moot.models.gate import Gate
from moot.models.port import AttemptNotice, ChatReply, ChatRequest
from moot.models.retry import Retrying, RetryPolicy
from moot.protocol.answers import Schema
from moot.protocol.values import Message
from moot.protocol.words import Finish
from moot.testing import server_faults
from moot.testing.clock import FakeClock
from moot.testing.replies import reply_for
from moot.testing.server import ScriptedServer
from moot.testing.server_faults import FAULTS

KEY = "sk-CANARY-0123456789abcdef"
DEADLINE_S = 5.0
SCORE = Schema(
    "score",
    {
        "type": "object",
        "properties": {
            "score": {"type": "integer", "minimum": 0, "maximum": 10},
            "winner": {"enum": ["Ada", "Bob"]},
        },
    },
)
REQUEST = ChatRequest(
    model="scripted",
    messages=[Message(role="user", content="Is it so? Give reasons.")],
    deadline_s=DEADLINE_S,
)


class Fails(msgspec.Struct, frozen=True):
    """An error of this class, with these words in it."""

    kind: type[ModelError]
    words: str = ""
    pause_s: float | None = None
    deadline_s: float = DEADLINE_S


class Replies(msgspec.Struct, frozen=True):
    """A whole reply; `content` None is what the server says in fair weather."""

    content: str | None = None
    finish: Finish = Finish.STOP
    is_estimated: bool = False
    asks_json: bool = False


LIMITED, REFUSED, OUT, BROKEN = (
    Fails(RateLimited, "429"),
    Fails(ModelRefused),
    Fails(ModelUnavailable),
    Fails(ReplyBroken),
)
SLOW = Fails(ModelUnavailable, "no whole reply within 0.3 s", deadline_s=0.3)
ESTIMATED = Replies(is_estimated=True)

WEATHER: Mapping[str, Fails | Replies] = {
    "status_429": LIMITED,
    "status_429_retry_after_1": Fails(RateLimited, "429", pause_s=1),
    "status_429_retry_after_date": Fails(RateLimited, "429", pause_s=1.5),
    "status_429_retry_after_0": Fails(RateLimited, "429", pause_s=0),
    "status_429_retry_after_negative": Fails(RateLimited, "429", pause_s=0),
    "status_429_retry_after_absurd": Fails(RateLimited, "429", pause_s=300),
    "status_429_retry_after_nonsense": LIMITED,
    "status_429_retry_after_ms": Fails(RateLimited, "429", pause_s=0.05),
    "status_429_spent": Fails(QuotaUsedUp, "quota used up"),
    "status_408": OUT,
    "status_409": OUT,
    "status_425": OUT,
    "status_500": Fails(ModelUnavailable, "500: error: no luck today"),
    "status_502_html": Fails(ModelUnavailable, "502: Bad Gateway"),
    "status_503": OUT,
    "status_503_retry_after_1": Fails(ModelUnavailable, "503", pause_s=1),
    "status_504": OUT,
    "status_529": Fails(ModelUnavailable, "overloaded"),
    "status_400": REFUSED,
    "status_400_context_too_long": Fails(ModelRefused, "context window of 'scripted'"),
    "status_401_echoes_key": Fails(KeyRefused, "the key in TEST_API_KEY was refused"),
    "status_402": Fails(QuotaUsedUp, "quota used up"),
    "status_403": Fails(KeyRefused, "TEST_API_KEY"),
    "status_404_model": Fails(ModelNotOffered, "'scripted'"),
    "status_422": REFUSED,
    "redirect": Fails(ModelRefused, "redirects are not followed"),
    "reset_before_body": Fails(ModelUnavailable, "no connection"),
    "reset_inside_body": BROKEN,
    "close_inside_body": BROKEN,
    "reset_after_body": Replies(),
    "never_a_byte": SLOW,
    "drip": SLOW,
    "no_finish": Replies(finish=Finish.OTHER),  # streamed: see below
    "finish_without_done": Replies(),
    "hangs_after_finish": Replies(),
    "finish_length": Replies(finish=Finish.LENGTH),
    "finish_filter": Replies(finish=Finish.FILTER),
    "finish_tool_calls": Replies(finish=Finish.OTHER),
    "invalid_json": BROKEN,
    "two_objects": BROKEN,
    "bom": Replies(),
    "bad_utf8": Replies(content="\ufffd*"),
    "nan": Replies(),
    "nested_envelope": BROKEN,
    "no_choices": BROKEN,
    "wrong_content_type": Fails(ReplyBroken, "text/html"),
    "wrong_encoding": Fails(ReplyBroken, "'br'"),
    "other_shape": Replies(),
    "error_inside_success": Fails(ModelUnavailable, "502: the provider behind me broke off"),
    "content_in_parts": Replies(),
    "reasoning": Replies(),
    "empty": Replies(content=""),
    "null": Replies(content=""),
    "blank": Replies(content=" \n\t "),
    "huge_body": Fails(ReplyTooLarge, ""),
    "long_line": Fails(ReplyTooLarge, ""),
    "gzip": Replies(),
    "gzip_bomb": Fails(ReplyTooLarge, "larger than 8 MB"),
    "lone_surrogates": Replies(content="half \ufffd and \ufffd half"),
    "nul": Replies(content="beforeafter"),
    "ansi": Replies(content="red and link"),
    "bidi": Replies(content="left right and isolated"),
    "crlf": Replies(content="one\ntwo\nthree"),
    "nested_brackets": Replies(content="[" * 100_000),
    "usage_absent": ESTIMATED,
    "usage_negative": ESTIMATED,
    "usage_absurd": ESTIMATED,
    "usage_text": ESTIMATED,
    "usage_infinite": ESTIMATED,
    "usage_in_every_chunk": Replies(),
    "score_text": Replies(content='{"score": "7", "winner": "Ada"}', asks_json=True),
    "score_11": Replies(content='{"score": 11, "winner": "Ada"}', asks_json=True),
    "score_true": Replies(content='{"score": true, "winner": "Ada"}', asks_json=True),
    "score_1e999": Replies(content='{"score": 1e999, "winner": "Ada"}', asks_json=True),
    "winner_stranger": Replies(content='{"score": 7, "winner": "Nobody At All"}', asks_json=True),
    "no_json": Replies(content="I would rather not say.", asks_json=True),
}
STREAMED_OTHERWISE: Mapping[str, Fails | Replies] = {
    # In a whole JSON body nothing is missing but the reason; a stream may have lost its end.
    "no_finish": Fails(ReplyBroken, "ended before the reply did"),
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_faults, "DRIP_S", 0.05)
    monkeypatch.setattr(exchange, "DONE_GRACE_S", 0.05)


@asynccontextmanager
async def provider(
    *faults: str | None, latency_s: float = 0.0
) -> AsyncIterator[tuple[ScriptedServer, OpenAICompatible]]:
    async with ScriptedServer(faults=faults, latency_s=latency_s) as server:
        endpoint = Endpoint(provider="test", base_url=server.base_url, api_key=KEY)
        model = OpenAICompatible(endpoint=endpoint)
        try:
            yield server, model
        finally:
            await model.close()


def test_the_table_covers_every_fault() -> None:
    assert set(WEATHER) == set(FAULTS)


@pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("fault", WEATHER)
async def test_weather(fault: str, is_streamed: bool) -> None:
    expected = WEATHER[fault]
    if is_streamed:
        expected = STREAMED_OTHERWISE.get(fault, expected)
    started = time.monotonic()
    async with provider(fault) as (server, model):
        texts: list[str] = []
        on_text = texts.append if is_streamed else None
        match expected:
            case Fails():
                request = msgspec.structs.replace(REQUEST, deadline_s=expected.deadline_s)
                with pytest.raises(ModelError) as caught:
                    await model.reply(request, on_text)
                check_error(caught.value, expected)
            case Replies():
                schema = SCORE if expected.asks_json else None
                request = msgspec.structs.replace(REQUEST, schema=schema)
                check_reply(await model.reply(request, on_text), expected, server)
                if is_streamed:
                    assert "".join(texts) == content_of(expected, server)
        assert len(server.calls) == 1
    assert time.monotonic() - started < 3


def check_error(error: ModelError, expected: Fails) -> None:
    assert type(error) is expected.kind
    assert expected.words in str(error)
    assert str(error).startswith("test: ")
    assert "CANARY" not in str(error)
    assert error.__cause__ is None  # a foreign exception may quote what we took out
    pause_s = getattr(error, "retry_after_s", None)
    assert pause_s == (expected.pause_s and pytest.approx(expected.pause_s, abs=0.6))


def check_reply(reply: ChatReply, expected: Replies, server: ScriptedServer) -> None:
    assert reply.content == content_of(expected, server)
    assert reply.finish is expected.finish
    assert reply.usage.is_estimated is expected.is_estimated
    assert 0 <= reply.usage.input_tokens < 100
    assert reply.model == "scripted"


def content_of(expected: Replies, server: ScriptedServer) -> str:
    fair = reply_for(server.calls[0].messages)
    return fair if expected.content is None else expected.content.replace("*", fair)


async def test_a_refused_connection() -> None:
    async with ScriptedServer() as server:
        url = server.base_url
    model = OpenAICompatible(endpoint=Endpoint(provider="test", base_url=url, api_key=KEY))
    with pytest.raises(ModelUnavailable, match="test: no connection to http://127"):
        await model.reply(REQUEST)
    await model.close()


async def test_a_name_that_does_not_resolve() -> None:
    endpoint = Endpoint(provider="test", base_url="http://nowhere.invalid/v1")
    model = OpenAICompatible(endpoint=endpoint)
    with pytest.raises(ModelUnavailable):
        await model.reply(REQUEST)
    await model.close()


async def test_tls_where_there_is_none() -> None:
    async with ScriptedServer() as server:
        url = server.base_url.replace("http:", "https:")
        model = OpenAICompatible(endpoint=Endpoint(provider="test", base_url=url))
        with pytest.raises(ModelUnavailable):
            await model.reply(REQUEST)
        await model.close()


@pytest.mark.parametrize("url", ["", "no url", "ftp://x/v1", "http://user:pass@127.0.0.1:1/v1"])
async def test_a_base_url_that_is_none(url: str) -> None:
    model = OpenAICompatible(endpoint=Endpoint(provider="test", base_url=url, api_key=KEY))
    with pytest.raises(ModelError) as caught:
        await model.reply(REQUEST)
    assert isinstance(caught.value, ModelRefused)
    assert "pass" not in str(caught.value)
    await model.close()


# Through retry


def caller(model: OpenAICompatible, gate: Gate, clock: FakeClock) -> Retrying:
    return Retrying(
        backend=model,
        model="scripted",
        gate=gate,
        policy=RetryPolicy(),
        price=lambda _model, _usage: None,
        sleep=clock.sleep,
        jitter=lambda: 1.0,
    )


@pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])
async def test_the_next_attempt_gets_through(is_streamed: bool) -> None:
    faults = ("status_503", "reset_inside_body", "status_429")
    clock, notices = FakeClock(), list[AttemptNotice]()

    async def note(notice: AttemptNotice) -> None:
        notices.append(notice)

    async with provider(*faults) as (server, model):
        retrying = caller(model, Gate(4), clock)
        reply = await retrying.call(REQUEST, (lambda _: None) if is_streamed else None, note)
        assert reply.attempts == len(server.calls) == 4
        assert [type(notice.error) for notice in notices] == [
            ModelUnavailable,
            ReplyBroken,
            RateLimited,
        ]


@pytest.mark.parametrize(
    "fault", ["status_400_context_too_long", "status_401_echoes_key", "status_404_model"]
)
async def test_what_is_refused_costs_one_call(fault: str) -> None:
    async with provider(fault) as (server, model):
        with pytest.raises(ModelRefused):
            await caller(model, Gate(4), FakeClock()).call(REQUEST)
        assert len(server.calls) == 1


async def test_a_pause_asked_of_one_caller_is_kept_by_all() -> None:
    clock = FakeClock(is_patient=True)
    gate = Gate(4, clock=clock.monotonic, sleep=clock.sleep)
    async with provider("status_429_retry_after_1") as (server, model):
        one, other = caller(model, gate, clock), caller(model, gate, clock)
        async with asyncio.TaskGroup() as group:
            group.create_task(one.call(REQUEST))
            while not gate.held_for_s:  # noqa: ASYNC110  a gate has no event to wait for
                await asyncio.sleep(0.001)
            group.create_task(other.call(REQUEST))
            await asyncio.sleep(0.02)
            assert len(server.calls) == 1
            while len(server.calls) < 3:
                clock.advance(1)
                await asyncio.sleep(0.001)
        assert len(server.calls) == 3


async def test_the_gate_bounds_calls_in_flight() -> None:
    async with provider(latency_s=0.005) as (server, model):
        retrying = caller(model, Gate(3), FakeClock())
        await asyncio.gather(*[retrying.call(REQUEST) for _ in range(12)])
        assert (len(server.calls), server.max_in_flight) == (12, 3)


@contextmanager
def swallowing() -> Iterator[str]:
    """A host that does not even refuse connections: its queue is full, so it drops what comes."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen(0)
    fillers = []
    for _ in range(8):
        filler = socket.socket()
        filler.setblocking(False)
        filler.connect_ex(listening.getsockname())
        fillers.append(filler)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
    finally:
        for one in (*fillers, listening):
            one.close()


async def test_a_host_that_swallows_packets_is_an_outage_and_costs_no_whole_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert adapter.CONNECT_S == 10
    monkeypatch.setattr(adapter, "CONNECT_S", 0.2)
    with swallowing() as base_url:
        model = OpenAICompatible(endpoint=Endpoint(provider="test", base_url=base_url))
        asked = [Message(role="user", content="Well?")]
        began = time.monotonic()
        with pytest.raises(ModelUnavailable, match=r"test: no connection to .* within 0\.2 s"):
            await model.reply(ChatRequest(model="m", messages=asked, deadline_s=30))
        assert time.monotonic() - began < 5
        await model.close()
