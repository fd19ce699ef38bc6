"""The provider of the benchmarks: says the least that carries a duel, at the least cost.

`moot.testing.server` keeps a ledger and reads every message, which a benchmark that shares two
cores with it can't afford. This one looks at the last message only, sends prepared bytes, and tells
at `/cpu` what it has used itself, so that a run can show that it was not what everybody waited for.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import time
from itertools import count

import msgspec

PATH_CPU = b"GET /cpu"
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_EXAMPLE = re.compile(r"JSON object in exactly this format:\n(.+)")
_CHOICE = re.compile(r"exactly one of these names and nothing else: '(.+?)' or '")
# What the example says about a reason, and a reason in its place: the example itself is no answer.
_ABOUT, _OWN = "One sentence explaining", "The claim rests on"
_WORDS = ("because", "the", "claim", "rests", "on", "evidence", "that", "nobody", "tested")

_encode = msgspec.json.Encoder().encode
_numbers = count(1)


class Asked(msgspec.Struct):
    messages: list[msgspec.Raw]
    stream: bool = False


class Message(msgspec.Struct):
    content: str


_asked = msgspec.json.Decoder(Asked).decode
_message = msgspec.json.Decoder(Message).decode


def filler(words: int) -> str:
    """So many words. No two replies are equal, and every fourth word is a number: a long reply of
    nine words over and over is taken for babble, and asked for again."""
    first, size = next(_numbers), len(_WORDS)
    return " ".join(_WORDS[at % size] if at % 4 else str(first + at) for at in range(words))


def reply_to(last: str, words: int) -> str:
    if found := _EXAMPLE.search(last) or _CHOICE.search(last):
        return found[1].replace(_ABOUT, _OWN)
    return filler(words)


def whole(text: str, sent: int) -> bytes:
    received = text.count(" ") + 1
    body = (
        b'{"id":"call","object":"chat.completion","created":0,"model":"scripted","choices":'
        b'[{"index":0,"message":{"role":"assistant","content":%b},"finish_reason":"stop"}],"usage":'
        b'{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}'
        % (_encode(text), sent, received, sent + received)
    )
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return head % len(body) + body


STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
)
_EVENT = (
    b'data: {"id":"call","object":"chat.completion.chunk","created":0,"model":"scripted",'
    b'"choices":[%b]%b}\n\n'
)


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def pieces(text: str, sent: int) -> list[bytes]:
    """A streamed reply: one write per word, as providers send one event per token."""
    first, *rest = text.split(" ")
    words = [first, *(f" {word}" for word in rest)]
    delta = b'{"index":0,"delta":{"content":%b},"finish_reason":null}'
    found = [_chunk(_EVENT % (delta % _encode(word), b"")) for word in words]
    found[0] = STREAM_HEAD + found[0]
    usage = b',"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}' % (
        sent,
        len(words),
        sent + len(words),
    )
    last = _EVENT % (b'{"index":0,"delta":{},"finish_reason":"stop"}', b"")
    found.append(_chunk(last) + _chunk(_EVENT % (b"", usage)))
    found.append(_chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")
    return found


class Provider(asyncio.Protocol):
    """One connection; one request at a time."""

    def __init__(self, *, latency_s: float, gap_s: float, words: int) -> None:
        self._latency_s = latency_s
        self._gap_s = gap_s
        self._words = words
        self._received = bytearray()
        self._wanted = 0
        self._transport: asyncio.Transport
        self._loop = asyncio.get_running_loop()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        if not self._wanted:
            end = self._received.find(b"\r\n\r\n")
            if end < 0:
                return
            length = _LENGTH.search(self._received, 0, end)
            self._wanted = end + 4 + (int(length[1]) if length else 0)
        if len(self._received) >= self._wanted:
            request = bytes(self._received)
            self._received.clear()
            self._wanted = 0
            self._answer(request)

    def _answer(self, request: bytes) -> None:
        if request.startswith(PATH_CPU):
            self._transport.write(whole(str(time.process_time()), 0))
            return
        asked = _asked(memoryview(request)[request.index(b"\r\n\r\n") + 4 :])
        text = reply_to(_message(asked.messages[-1]).content, self._words)
        sent = len(request) // 4
        parts = pieces(text, sent) if asked.stream else [whole(text, sent)]
        if self._latency_s:
            self._loop.call_later(self._latency_s, self._send, parts)
        else:
            self._send(parts)

    def _send(self, parts: list[bytes]) -> None:
        if self._gap_s and len(parts) > 1:
            self._transport.write(parts[0])
            self._loop.call_later(self._gap_s, self._send, parts[1:])
            return
        for part in parts:
            self._transport.write(part)


async def serve(*, latency_s: float, gap_s: float, words: int) -> None:
    """Serve for ever; the first line of output is the base URL."""
    server = await asyncio.get_running_loop().create_server(
        lambda: Provider(latency_s=latency_s, gap_s=gap_s, words=words),
        "127.0.0.1",
        0,
        backlog=4096,
    )
    port = server.sockets[0].getsockname()[1]
    sys.stdout.write(f"http://127.0.0.1:{port}/v1\n")
    sys.stdout.flush()
    await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.server", description=__doc__)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before a reply")
    parser.add_argument("--gap", type=float, default=0.0, help="seconds between streamed words")
    parser.add_argument("--words", type=int, default=40, help="length of a reply")
    given = parser.parse_args()
    asyncio.run(serve(latency_s=given.latency, gap_s=given.gap, words=given.words))


if __name__ == "__main__":
    main()
