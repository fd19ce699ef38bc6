"""What a scripted provider is asked, what it answers, and how that is written to the socket.

As much of an HTTP server as a scripted provider needs, close enough to the socket to break it: raw
`asyncio.Protocol`, because the benchmarks share their cores with this server, and no web framework
lets one send half a header and reset the connection.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import msgspec

from moot.testing.replies import (
    DEFAULT_WORDS,
    answer_as_asked,
    reply_for,
    reply_for_schema,
    schema_in,
)

Handler = Callable[["Peer", "HttpRequest"], Awaitable[None]]

REASONS: Mapping[int, bytes] = {200: b"OK", 307: b"Temporary Redirect", 404: b"Not Found"}

STREAM_HEADERS = {"Transfer-Encoding": "chunked", "Cache-Control": "no-cache"}
EVENT_STREAM = "text/event-stream"
DONE = b"data: [DONE]\n\n"

_encode = msgspec.json.Encoder().encode


# --- HTTP -----------------------------------------------------------------------------------------


class HttpRequest(msgspec.Struct, frozen=True):
    """One request; header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class Peer(asyncio.Protocol):
    """One connection. Requests are handled one by one; a disconnect cancels the handler."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._received = bytearray()
        self._task: asyncio.Task[None] | None = None
        self._transport: asyncio.Transport | None = None
        self._writable = asyncio.Event()
        self._writable.set()

    # What asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._writable.set()
        if self._task is not None:
            self._task.cancel()

    def data_received(self, data: bytes) -> None:
        self._received += data
        if not self._received[:1].isalpha():  # TLS, or other things that are no HTTP
            self.close()
            return
        self._next_request()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    # What handlers call

    def write(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write(data)

    async def drain(self) -> None:
        """Wait until the client has read most of what was written. Raises if it has gone."""
        await self._writable.wait()
        if self._transport is None:
            raise ConnectionResetError
        await asyncio.sleep(0)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def reset(self) -> None:
        """End the connection by an RST, as a crash does, instead of a goodbye."""
        if self._transport is not None:
            raw = self._transport.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._transport.abort()

    def respond(
        self,
        status: int,
        body: bytes,
        content_type: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """A whole response."""
        length = {"Content-Length": str(len(body))}
        self.write(head(status, content_type, {**length, **(headers or {})}) + body)

    # Inside

    def _next_request(self) -> None:
        if self._task is None and (request := _parse(self._received)) is not None:
            self._task = asyncio.get_running_loop().create_task(self._handle(request))

    async def _handle(self, request: HttpRequest) -> None:
        try:
            await self._handler(self, request)
        except ConnectionResetError:
            return
        except Exception:
            self.reset()  # a script that fails must not leave its client waiting
            raise
        finally:
            self._task = None
        self._next_request()


def head(status: int, content_type: str, headers: Mapping[str, str]) -> bytes:
    """The status line and the headers, with the blank line after them."""
    lines = [
        b"HTTP/1.1 %d %s" % (status, REASONS.get(status, b"Status")),
        b"Content-Type: " + content_type.encode(),
    ]
    lines += [f"{name}: {value}".encode() for name, value in headers.items()]
    return b"\r\n".join(lines) + b"\r\n\r\n"


def chunk(data: bytes) -> bytes:
    """`data` as one chunk of a chunked body; empty data ends the body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def _parse(received: bytearray) -> HttpRequest | None:
    """Takes the first whole request out of `received`, if there is one."""
    end = received.find(b"\r\n\r\n")
    if end < 0:
        return None
    first, *lines = received[:end].decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    stop = end + 4 + int(headers.get("content-length", "0"))
    if len(received) < stop:
        return None
    method, path, _ = first.split(" ", 2)
    request = HttpRequest(method, path, headers, bytes(received[end + 4 : stop]))
    del received[:stop]
    return request


# --- chat completions -----------------------------------------------------------------------------


class WireMessage(msgspec.Struct, frozen=True):
    role: str
    content: str | None = ""
    tool_calls: list[Any] | None = None
    tool_call_id: str = ""

    @property
    def text(self) -> str:
        return self.content or ""


class WireRequest(msgspec.Struct, frozen=True):
    """The body of a chat request."""

    model: str
    messages: list[WireMessage]
    stream: bool = False
    stream_options: Mapping[str, Any] | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    response_format: Mapping[str, Any] | None = None
    tools: list[Mapping[str, Any]] | None = None
    tool_choice: Any = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    reasoning_effort: str | None = None

    @property
    def budget(self) -> int | None:
        """The most tokens that the reply may have, thoughts included."""
        return self.max_completion_tokens if self.max_tokens is None else self.max_tokens

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The JSON schema that the reply is held to."""
        wanted = self.response_format or {}
        return wanted["json_schema"]["schema"] if wanted.get("type") == "json_schema" else None

    @property
    def may_call(self) -> bool:
        """Whether the reply may call for tools."""
        return bool(self.tools) and self.tool_choice != "none"

    @property
    def wants_usage(self) -> bool:
        """Whether usage is told: in a stream, only if it was asked for."""
        return not self.stream or bool((self.stream_options or {}).get("include_usage"))


class ChatCall(msgspec.Struct, kw_only=True):
    """One call to the server. `number` counts from 1. `authorization` is the header as it came."""

    number: int
    request: WireRequest
    http: HttpRequest
    peer: Peer

    @property
    def is_streamed(self) -> bool:
        return self.request.stream

    @property
    def authorization(self) -> str:
        return self.http.headers.get("authorization", "")

    @property
    def messages(self) -> Sequence[tuple[str, str]]:
        return [(message.role, message.text) for message in self.request.messages]


class Lookups(msgspec.Struct, frozen=True):
    """What a script returns to have tools called: names, and arguments as JSON text."""

    calls: tuple[tuple[str, str], ...]
    content: str = ""


class Answer(msgspec.Struct, kw_only=True):
    """What the server is about to say; faults change it, or send something else instead."""

    content: Any
    model: str
    usage: Any
    finish_reason: str | None = "stop"
    tool_calls: Sequence[Mapping[str, Any]] = ()
    thought: str = ""


def lookups_answer(call: ChatCall, lookups: Lookups) -> Answer:
    """The reply that calls for these tools."""
    calls = [
        {
            "id": f"call-{call.number}-{number}",
            "type": "function",
            "function": {"name": name, "arguments": arguments},
        }
        for number, (name, arguments) in enumerate(lookups.calls)
    ]
    words = " ".join([lookups.content, *(arguments for _, arguments in lookups.calls)])
    return Answer(
        content=lookups.content,
        model=call.request.model,
        usage=usage_for(call.request, words),
        finish_reason="tool_calls",
        tool_calls=calls,
    )


read_request = msgspec.json.Decoder(WireRequest).decode


def default_text(request: WireRequest, words: int = DEFAULT_WORDS) -> str:
    """Text that depends on the request's messages and nothing else; JSON if that is asked for."""
    schema = request.schema or schema_in(request.messages[-1].text)
    if schema is not None:
        return reply_for_schema(schema)
    messages = [(message.role, message.text) for message in request.messages]
    if request.response_format is not None:
        # What was looked up may stand between the question and here.
        asked = next((text for role, text in reversed(messages) if role == "user"), "")
        return answer_as_asked(asked) or '{"text": "text"}'
    return reply_for(messages, words=words)


def usage_for(request: WireRequest, content: str) -> dict[str, int]:
    """One token per word: easy to add up in a test, and never an estimate of ours."""
    sent = sum(message.text.count(" ") + 1 for message in request.messages)
    received = content.count(" ") + 1
    return {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}


def text_of_thoughts(tokens: int) -> str:
    """Thoughts of so many words, which nobody but their author is to read."""
    return " ".join(["hm"] * tokens)


def completion(call: ChatCall, answer: Answer) -> dict[str, Any]:
    """The body of a whole reply."""
    message = {"role": "assistant", "content": answer.content}
    if answer.thought:
        message["reasoning_content"] = answer.thought
    if answer.tool_calls:
        message |= {"content": answer.content or None, "tool_calls": answer.tool_calls}
    choice = {"index": 0, "message": message, "finish_reason": answer.finish_reason}
    body = {
        "id": f"call-{call.number}",
        "object": "chat.completion",
        "created": 0,
        "model": answer.model,
        "choices": [choice],
        "usage": answer.usage,
    }
    if answer.usage is None:
        del body["usage"]
    return body


def events(call: ChatCall, answer: Answer) -> list[bytes]:
    """The events of a streamed reply, one for each word, without `[DONE]`."""
    start = _encode(
        {"id": f"call-{call.number}", "object": "chat.completion.chunk", "created": 0,
         "model": answer.model}
    )[:-1]  # fmt: skip
    choice = b'data: %b,"choices":[{"index":0,"delta":{"content":%%b},"finish_reason":null}]}\n\n'
    template = choice % start.replace(b"%", b"%%")
    found = []
    if answer.thought:
        delta = {"index": 0, "delta": {"reasoning_content": answer.thought}, "finish_reason": None}
        found.append(b'data: %b,"choices":[%b]}\n\n' % (start, _dumped(delta)))
    found += [template % _dumped(piece) for piece in pieces(answer.content)]
    found += [b'data: %b,"choices":[%b]}\n\n' % (start, piece) for piece in _call_pieces(answer)]
    if answer.finish_reason is not None:
        last = b'data: %b,"choices":[{"index":0,"delta":{},"finish_reason":%b}]}\n\n'
        found.append(last % (start, _encode(answer.finish_reason)))
    if call.request.wants_usage and answer.usage is not None:
        usage = json.dumps(answer.usage).encode()
        found.append(b'data: %b,"choices":[],"usage":%b}\n\n' % (start, usage))
    return found


def _call_pieces(answer: Answer) -> list[bytes]:
    """The deltas of the tools that are called for: the name first, then the arguments in halves."""
    deltas: list[dict[str, Any]] = []
    for index, call in enumerate(answer.tool_calls):
        arguments = call["function"]["arguments"]
        middle = len(arguments) // 2
        deltas.append({**call, "index": index, "function": {**call["function"], "arguments": ""}})
        deltas += [
            {"index": index, "function": {"arguments": half}}
            for half in (arguments[:middle], arguments[middle:])
        ]
    return [
        _dumped({"index": 0, "delta": {"tool_calls": [one]}, "finish_reason": None})
        for one in deltas
    ]


def pieces(content: Any) -> list[Any]:
    """The words of a text, each with the blank before it; anything else in one piece."""
    if not isinstance(content, str):
        return [content]
    first, *rest = content.split(" ")
    return [first, *[f" {word}" for word in rest]]


def send_whole(call: ChatCall, answer: Answer) -> None:
    """A reply without a stream."""
    call.peer.respond(200, _dumped(completion(call, answer)))


def begin_stream(call: ChatCall) -> None:
    call.peer.write(head(200, EVENT_STREAM, STREAM_HEADERS))


def end_stream(call: ChatCall) -> None:
    call.peer.write(chunk(b""))


def _dumped(value: Any) -> bytes:
    try:
        return _encode(value)
    except UnicodeEncodeError:  # lone surrogates: the standard library writes them as escapes
        return json.dumps(value).encode()
