"""What the adapter does in fair weather: requests, replies, connections, cancellation."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import msgspec
import pytest

from moot.errors import ModelRefused, ReplyBroken
from moot.models.backends.openai_compatible import requests
from moot.models.backends.openai_compatible.adapter import OpenAICompatible
from moot.models.backends.openai_compatible.requests import EncodedMessages
from moot.models.backends.openai_compatible.stream import StreamReader
from moot.models.endpoint import Endpoint
from moot.models.port import ChatRequest
from moot.protocol.answers import Schema
from moot.protocol.values import Message, Sampling
from moot.protocol.words import Effort
from moot.testing.replies import reply_for
from moot.testing.server import ScriptedServer
from moot.testing.server_ledger import read_ledger
from moot.testing.server_wire import HttpRequest, Peer

KEY = "sk-CANARY-0123456789abcdef"
SCHEMA = Schema("score", {"type": "object", "properties": {"score": {"type": "integer"}}})
REQUEST = ChatRequest(
    model="scripted",
    messages=[Message(role="system", content="Be brief."), Message(role="user", content="Well?")],
    max_tokens=50,
    deadline_s=5,
    label="debate/step",
)


class Recorder(ScriptedServer):
    """Keeps the requests as they came."""

    def __init__(self) -> None:
        super().__init__()
        self.received: list[HttpRequest] = []

    async def _handle(self, peer: Peer, http: HttpRequest) -> None:
        self.received.append(http)
        await super()._handle(peer, http)


def model_of(server: ScriptedServer, **options: object) -> OpenAICompatible:
    endpoint = Endpoint(provider="test", base_url=server.base_url, api_key=KEY)
    return OpenAICompatible(endpoint=msgspec.structs.replace(endpoint, **options))


@pytest.fixture
async def server() -> AsyncIterator[Recorder]:
    async with Recorder() as server:
        yield server


async def until(condition: Callable[[], bool]) -> None:
    """Wait for what another party does on the same machine; a second is ample."""
    async with asyncio.timeout(1):
        while not condition():  # noqa: ASYNC110  the other party has no event to wait for
            await asyncio.sleep(0.001)


async def sent(server: Recorder, request: ChatRequest, *, streamed: bool = False,
               **options: object) -> dict[str, object]:  # fmt: skip
    """The body that the server got."""
    model = model_of(server, **options)
    await model.reply(request, (lambda _: None) if streamed else None)
    await model.close()
    return dict(json.loads(server.received[-1].body))


async def test_returns_the_reply_with_the_providers_own_count(server: Recorder) -> None:
    model = model_of(server)
    reply = await model.reply(REQUEST)
    await model.close()
    assert reply.content == reply_for([("system", "Be brief."), ("user", "Well?")])
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (3, 40)
    assert not reply.usage.is_estimated


async def test_streams_the_same_reply(server: Recorder) -> None:
    model, pieces = model_of(server), list[str]()
    streamed = await model.reply(REQUEST, pieces.append)
    whole = await model.reply(REQUEST)
    await model.close()
    assert "".join(pieces) == streamed.content == whole.content
    assert streamed.usage == whole.usage
    assert all(pieces)


async def test_text_arrives_while_it_is_written() -> None:
    async with ScriptedServer(word_delay_s=0.005, words=10) as server:
        model, pieces = model_of(server), list[str]()
        await model.reply(REQUEST, pieces.append)
        await model.close()
    assert len(pieces) > 5


async def test_sends_what_was_asked_and_nothing_else(server: Recorder) -> None:
    assert await sent(server, REQUEST) == {
        "model": "scripted",
        "max_tokens": 50,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Well?"},
        ],
    }
    assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
    assert "debate/step" not in str(server.received[0])


async def test_speaks_the_dialect_of_its_endpoint(server: Recorder) -> None:
    body = await sent(
        server,
        msgspec.structs.replace(REQUEST, schema=SCHEMA),
        streamed=True,
        max_tokens_field="max_completion_tokens",
        schema_support="json_object",
        extra={"temperature": 0.5},
        headers={"X-Title": "Moot"},
    )
    assert body["max_completion_tokens"] == 50
    assert "max_tokens" not in body
    assert body["response_format"] == {"type": "json_object"}
    assert body["stream_options"] == {"include_usage": True}
    assert (body["stream"], body["temperature"]) == (True, 0.5)
    assert server.received[0].headers["x-title"] == "Moot"


async def test_sends_the_budget_and_the_sampling_that_is_wished_for(server: Recorder) -> None:
    sampling = Sampling(temperature=0.0, top_p=0.9, seed=0, reasoning_effort=Effort.LOW)
    body = await sent(server, msgspec.structs.replace(REQUEST, sampling=sampling, allowance=8000))
    assert body["max_tokens"] == 8050
    assert (body["temperature"], body["top_p"], body["seed"]) == (0.0, 0.9, 0)
    assert body["reasoning_effort"] == "low"


@pytest.mark.parametrize(
    ("refused", "name", "value"),
    [
        ("max_tokens", "max_tokens", None),
        ("max_tokens", "max_completion_tokens", 50),
        ("json_schema", "response_format", {"type": "json_object"}),
        ("json_schema json_object", "response_format", None),
        ("max_tokens max_completion_tokens", "max_completion_tokens", None),
        ("stream_options", "stream_options", None),
        ("temperature", "temperature", None),
    ],
)
async def test_leaves_out_what_was_refused(
    server: Recorder, refused: str, name: str, value: object
) -> None:
    request = msgspec.structs.replace(REQUEST, schema=SCHEMA, refused=frozenset(refused.split()))
    body = await sent(server, request, streamed=True, extra={"temperature": 0.5})
    assert body.get(name) == value


async def test_asks_for_a_schema_where_that_is_understood(server: Recorder) -> None:
    request = msgspec.structs.replace(REQUEST, schema=SCHEMA)
    body = await sent(server, request)
    expected = {"name": "score", "strict": True, "schema": SCHEMA.body}
    assert body["response_format"] == {"type": "json_schema", "json_schema": expected}
    assert "response_format" not in await sent(server, request, schema_support="none")


async def test_usage_that_was_not_asked_for_is_estimated(server: Recorder) -> None:
    model = model_of(server, stream_usage=False)
    reply = await model.reply(REQUEST, lambda _: None)
    await model.close()
    assert reply.usage.is_estimated
    assert reply.usage.input_tokens == 4


async def test_keeps_its_connection(server: Recorder) -> None:
    model = model_of(server)
    for _ in range(5):
        await model.reply(REQUEST)
        await model.reply(REQUEST, lambda _: None)
    await model.close()
    await model.close()
    assert server.connections == 1


async def test_opens_again_after_it_was_closed(server: Recorder) -> None:
    model = model_of(server)
    for _ in range(2):
        await model.reply(REQUEST)
        await model.close()
    assert server.connections == 2


@pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])
async def test_cancellation_closes_the_connection_at_once(is_streamed: bool) -> None:
    slow = (
        ScriptedServer(word_delay_s=0.01, words=10_000)
        if is_streamed
        else ScriptedServer(latency_s=60)
    )
    async with slow as server:
        model, begun = model_of(server), asyncio.Event()
        on_text = (lambda _: begun.set()) if is_streamed else None
        call = asyncio.create_task(model.reply(REQUEST, on_text))
        await until(begun.is_set if is_streamed else lambda: server.in_flight == 1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await until(lambda: server.calls[0].outcome == "disconnected")
        assert server.in_flight == 0
        await model.close()


async def test_a_listener_that_fails_ends_the_call(server: Recorder) -> None:
    def fail(_: str) -> None:
        raise KeyError

    model = model_of(server)
    with pytest.raises(KeyError):
        await model.reply(REQUEST, fail)
    await model.close()


async def test_sends_long_histories_whole(server: Recorder) -> None:
    model, messages = model_of(server), list[Message]()
    for number in range(30):
        messages += [Message(role="user", content=f'{number} é\n"x" {"y" * 50_000}')] * 2
        await model.reply(ChatRequest(model="m", messages=messages, deadline_s=5))
    await model.close()
    assert len(server.received[-1].body) > 2**20
    got = json.loads(server.received[-1].body)["messages"]
    assert got == [{"role": item.role, "content": item.content} for item in messages]


async def test_a_reply_that_breaks_off_is_told_without_a_status_that_nobody_sent() -> None:
    async with ScriptedServer(faults=["close_inside_body"]) as server:
        model = OpenAICompatible(endpoint=Endpoint(provider="test", base_url=server.base_url))
        with pytest.raises(ReplyBroken) as broken:
            await model.reply(REQUEST)
        await model.close()
    assert str(broken.value) == "test: the connection ended inside the reply"


async def test_refuses_text_that_cannot_be_sent(server: Recorder) -> None:
    model = model_of(server)
    with pytest.raises(ModelRefused, match="can't be sent"):
        await model.reply(ChatRequest(model="m", messages=[Message(role="user", content="\ud800")]))
    await model.close()
    assert server.calls == []


def test_a_changed_history_is_encoded_afresh() -> None:
    cache = EncodedMessages()
    first = [Message(role="user", content=str(number)) for number in range(30)]
    cache.parts(first)
    changed = [*first[:10], Message(role="user", content="other"), *first[11:]]
    shorter = first[:25]
    for messages in (changed, shorter, tuple(first)):
        joined = b"[" + b"".join(cache.parts(messages)) + b"]"
        assert msgspec.json.decode(joined, type=list[Message]) == list(messages)


def test_remembers_encodings_within_its_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "CACHED_FROM_MESSAGES", 1)
    cache = EncodedMessages(max_bytes=500)
    for number in range(50):
        cache.parts([Message(role="user", content=f"{number}" * 40)])
    assert cache._size <= 500
    assert cache._size == sum(known.size for known in cache._lists.values())


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_a_stream_reads_the_same_however_it_is_cut(size: int) -> None:
    data = (
        b"\xef\xbb\xbf: comment\r\n\r\nevent: x\r\n"
        b'data: {"choices":[{"delta":{"content":"Gr\xc3\xbc"}}]}'
        b'\r\n\r\ndata:{"choices":[{"delta":{"content":"\\ud83d"}}]}\n\n'
        b'data: {"choices":[{"delta":{"content":"\\ude00\\u001b["}}]}\n\n'
        b'data: {"choices":[{"delta":{"content":"1mx"},"finish_reason":"stop"}]}'
    )
    pieces: list[str] = []
    reader = StreamReader(pieces.append, lambda _: ReplyBroken("said so"))
    for start in range(0, len(data), size):
        reader.feed(data[start : start + size])
    assert reader.end() == "Grü\U0001f600x" == "".join(pieces)


def test_the_key_is_not_shown() -> None:
    endpoint = Endpoint(provider="x", base_url="https://u:p@host/v1?k=1", api_key=KEY)
    assert repr(endpoint) == "Endpoint(provider='x', base_url='https://host/v1')"
    assert KEY not in str(endpoint.__rich_repr__())


def test_the_server_runs_by_itself_and_keeps_its_ledger(tmp_path: Path) -> None:
    ledger = tmp_path / "calls.jsonl"
    command = [sys.executable, "-m", "moot.testing.server", "--ledger", str(ledger), "--words", "3"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            endpoint = Endpoint(
                provider="test", base_url=process.stdout.readline().strip(), api_key=KEY
            )
            reply = asyncio.run(_one_reply(endpoint))
        finally:
            process.terminate()
    [entry] = read_ledger(ledger)
    assert (entry.outcome, entry.reply, entry.is_streamed) == ("finished", reply, False)
    assert KEY not in ledger.read_text()


async def _one_reply(endpoint: Endpoint) -> str:
    model = OpenAICompatible(endpoint=endpoint)
    try:
        return (await model.reply(REQUEST)).content
    finally:
        await model.close()


@pytest.mark.parametrize("is_told", [True, False])
def test_thoughts_are_told_as_empty_pieces_to_who_listens_for_silence(is_told: bool) -> None:
    heard: list[str] = []
    reader = StreamReader(heard.append, lambda _: ReplyBroken("no"), tells_thoughts=is_told)
    deltas = ({"reasoning_content": "Hm."}, {"content": "<think>aloud"}, {"content": "</think>Yes"})
    for delta in deltas:
        reader.feed(b"data: " + json.dumps({"choices": [{"delta": delta}]}).encode() + b"\n\n")
    reader.feed(b": keep-alive\n\n")
    assert heard == (["", "", "Yes"] if is_told else ["Yes"])
