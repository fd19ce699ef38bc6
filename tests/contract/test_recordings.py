"""What real servers answer, and what must come of it: every line of `tests/recordings/`.

Played through the reader of exchanges, whole and cut into pieces; what is a reply also over a
socket, through the whole adapter.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from multidict import CIMultiDict

from moot import errors
from moot.errors import BudgetSpent, ModelError, ParameterRefused, ReplyBroken
from moot.models.backends.openai_compatible.adapter import OpenAICompatible
from moot.models.backends.openai_compatible.exchange import Exchange
from moot.models.endpoint import Endpoint
from moot.models.port import ChatReply, ChatRequest
from moot.protocol.values import Message, Usage
from moot.testing.server import ScriptedServer
from moot.testing.server_wire import HttpRequest, Peer, head

FOLDER = Path(__file__).parent.parent / "recordings"
ENDPOINT = Endpoint(provider="test", base_url="http://127.0.0.1:1/v1", api_key="sk-CANARY-0123")
REQUEST = ChatRequest(model="m", messages=[Message(role="user", content="Well?")], deadline_s=5)
SIZES = (1, 2, 7, 64)
"""In how many bytes at a time a response arrives, besides all at once."""
THOUGHT_MARKS = ("<think", "</think", "[think", "<|channel", "assistantfinal", "\u25c1")

Recording = dict[str, Any]


def recordings() -> Iterator[Recording]:
    for path in sorted(FOLDER.glob("*.jsonl")):
        for line in path.read_text().splitlines():
            yield json.loads(line)


RECORDINGS = {f"{one['provider']}: {one['name']}": one for one in recordings()}
REPLIES = {name: one for name, one in RECORDINGS.items() if "error" not in one["expect"]}


class Content:
    """The body of a response, a few bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self._pieces = iter([data[start : start + size] for start in range(0, len(data), size)])

    async def readany(self) -> bytes:
        return next(self._pieces, b"")


class Response:
    def __init__(self, recording: Recording, size: int) -> None:
        self.status = recording.get("status", 200)
        self.headers = CIMultiDict(headers_of(recording))
        self.content = Content(data_of(recording), size)
        self.content_length = None


def headers_of(recording: Recording) -> dict[str, str]:
    kind = "text/event-stream" if "stream" in recording else "application/json"
    return {"Content-Type": kind, **recording.get("headers", {})}


def data_of(recording: Recording) -> bytes:
    if "stream" in recording:
        return b"".join(line_of(event) for event in recording["stream"])
    if "page" in recording:
        return str(recording["page"]).encode()
    return json.dumps(recording["body"], ensure_ascii=False).encode()


def line_of(event: Any) -> bytes:
    if event == "[DONE]":
        return b"data: [DONE]\n\n"
    if isinstance(event, str):
        return event.encode() + b"\n"
    return b"data: " + json.dumps(event, ensure_ascii=False).encode() + b"\n\n"


async def outcome(recording: Recording, size: int) -> tuple[ChatReply | ModelError, str]:
    """What comes of the exchange, and what was told while it was read."""
    told: list[str] = []
    body = json.dumps(recording.get("sent", {"model": "m"})).encode()
    on_text = told.append if "stream" in recording else None
    exchange = Exchange(ENDPOINT, REQUEST, on_text, body=body)
    try:
        async with asyncio.timeout(5) as deadline:
            await exchange.read(Response(recording, size), deadline)  # type: ignore[arg-type]
        return exchange.reply(7), "".join(told)
    except ModelError as error:
        return error, "".join(told)


@pytest.mark.parametrize("name", RECORDINGS)
async def test_comes_out_as_it_must(name: str) -> None:
    recording = RECORDINGS[name]
    expected = recording["expect"]
    found, told = await outcome(recording, 10**9)
    if isinstance(found, ModelError):
        check_error(found, expected)
    else:
        check_reply(found, expected)
        assert "stream" not in recording or told == found.content
    if "stream" not in recording:
        return
    for size in SIZES:
        again, told_again = await outcome(recording, size)
        if isinstance(found, ModelError):
            assert (type(again), str(again)) == (type(found), str(found))
        else:
            assert isinstance(again, ChatReply)
            # Whether a thought was told before its end came is a matter of how it arrived.
            assert msgspec.structs.replace(again, is_retracted=False) == found
            assert again.is_retracted or told_again == told
            assert again.is_retracted is expected.get("retracted", False)


def check_error(error: ModelError, expected: Recording) -> None:
    assert "error" in expected, error
    assert type(error) is getattr(errors, expected["error"]), error
    assert expected.get("words", "") in str(error)
    assert isinstance(error, ReplyBroken) or str(error).startswith("test: ")
    assert "CANARY" not in str(error)
    if "wait" in expected:
        assert error.retry_after_s == pytest.approx(expected["wait"], abs=0.01)
    if isinstance(error, ParameterRefused):
        assert error.parameter == expected["parameter"], error
    if isinstance(error, BudgetSpent) and "usage" in expected:
        assert isinstance(error.usage, Usage)
        check_usage(error.usage, expected["usage"])


def check_reply(reply: ChatReply, expected: Recording) -> None:
    assert "error" not in expected, reply
    assert (reply.content, reply.thought) == (expected["text"], expected.get("thought", ""))
    calls = [[one.function.name, one.function.arguments] for one in reply.tool_calls]
    assert calls == expected.get("tools", [])
    assert reply.finish == expected["finish"]
    check_usage(reply.usage, expected.get("usage", {}))


def check_usage(usage: Usage, expected: Recording) -> None:
    found = {
        "input": usage.input_tokens,
        "output": usage.output_tokens,
        "thoughts": usage.thought_tokens,
        "cached": usage.cached_tokens,
        "cost": usage.cost_usd,
        "estimated": usage.is_estimated,
    }
    assert {name: found[name] for name in expected} == expected
    assert usage.answer_tokens >= 0


def test_there_are_enough_of_every_kind() -> None:
    assert len(RECORDINGS) == len(list(recordings())) > 250
    assert all(one["source"] and one["date"] for one in RECORDINGS.values())
    providers = {one["provider"] for one in RECORDINGS.values()}
    assert providers >= {
        "openai", "azure", "deepseek", "gemini", "openrouter", "groq", "mistral", "together",
        "fireworks", "xai", "cerebras", "ollama", "lmstudio", "vllm", "llama.cpp", "litellm",
        "moonshot", "qwen",
    }  # fmt: skip


class Player(ScriptedServer):
    """Answers with one recording after the other, one line at a time."""

    def __init__(self, playlist: list[Recording]) -> None:
        super().__init__()
        self._playlist = iter(playlist)

    async def _handle(self, peer: Peer, http: HttpRequest) -> None:
        recording = next(self._playlist)
        data = data_of(recording)
        headers = {**headers_of(recording), "Content-Length": str(len(data))}
        peer.write(head(200, headers.pop("Content-Type"), headers))
        for line in data.splitlines(keepends=True):
            peer.write(line)
            await asyncio.sleep(0)


async def test_replies_come_through_the_whole_adapter() -> None:
    async with Player(list(REPLIES.values())) as server:
        endpoint = Endpoint(provider="test", base_url=server.base_url)
        for recording in REPLIES.values():
            model, told = OpenAICompatible(endpoint=endpoint), list[str]()
            reply = await model.reply(REQUEST, told.append)
            await model.close()
            check_reply(reply, recording["expect"])
            assert reply.is_retracted or "".join(told) == reply.content


async def test_who_thinks_aloud_once_is_held_back_from_then_on() -> None:
    aloud = RECORDINGS["local: qwen3 thinking, opened in the prompt, streamed"]
    async with Player([aloud, aloud]) as server:
        model = OpenAICompatible(endpoint=Endpoint(provider="test", base_url=server.base_url))
        first = await model.reply(REQUEST, lambda _: None)
        told = list[str]()
        second = await model.reply(REQUEST, told.append)
        await model.close()
    assert (first.is_retracted, second.is_retracted) == (True, False)
    assert "".join(told) == first.content == second.content


def test_no_thought_is_left_in_what_is_said() -> None:
    """Of the recordings themselves: that none expects a mark, except where one is written about."""
    for name, recording in REPLIES.items():
        if "writes about the marks" not in name:
            text = recording["expect"]["text"].lower()
            assert not any(mark in text for mark in THOUGHT_MARKS), name
