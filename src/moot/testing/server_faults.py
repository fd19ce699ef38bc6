"""Every way a provider can misbehave, by name: RELIABILITY.md's "provider weather".

Each fault is one row of FAULTS and works streamed and not. `is_reply` says that a whole reply was
sent all the same, however odd: then the ledger books it as paid for.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import math
import time
from collections.abc import Awaitable, Callable, Mapping
from email.utils import formatdate
from typing import Any

import msgspec

from moot.testing.server_wire import (
    DONE,
    EVENT_STREAM,
    STREAM_HEADERS,
    Answer,
    ChatCall,
    begin_stream,
    chunk,
    completion,
    end_stream,
    events,
    head,
    send_whole,
)

Act = Callable[[ChatCall, Answer], Awaitable[None]]

HUGE_BYTES = 50 * 1024 * 1024
LONG_LINE_BYTES = 10 * 1024 * 1024
DRIP_S = 0.5
NASTY_TEXT: Mapping[str, str] = {
    "lone_surrogates": "half \ud83d and \udc00 half",
    "nul": "before\x00after",
    "ansi": "\x1b[31mred\x1b[0m and \x1b]8;;http://evil.example\x07link\x1b]8;;\x07",
    "bidi": "left \u202eright\u202c and \u2066isolated\u2069",
    "crlf": "one\r\ntwo\rthree",
    "nested_brackets": "[" * 100_000,
}


class Fault(msgspec.Struct, frozen=True):
    act: Act
    is_reply: bool = False


def answer_with(**changes: Any) -> Fault:
    """A whole reply in which something is odd."""

    async def act(call: ChatCall, answer: Answer) -> None:
        for name, value in changes.items():
            setattr(answer, name, value)
        send(call, answer)

    return Fault(act, is_reply=True)


def status(
    code: int,
    message: str = "no luck today",
    *,
    html: bool = False,
    headers: Callable[[], Mapping[str, str]] = dict,
    kind: str = "error",
) -> Fault:
    """An error response. `{key}` in the message becomes the key that the client sent."""

    async def act(call: ChatCall, _answer: Answer) -> None:
        said = message.replace("{key}", call.authorization)
        body = (
            f"<html><head><title>{code}</title></head><body><h1>{said}</h1></body></html>".encode()
            if html
            else json.dumps({"error": {"message": said, "type": kind, "code": kind}}).encode()
        )
        call.peer.respond(code, body, "text/html" if html else "application/json", headers())

    return Fault(act)


def body(
    change: Callable[[bytes], bytes],
    *,
    is_reply: bool = False,
    content_type: str = "",
    headers: Mapping[str, str] | None = None,
) -> Fault:
    """The bytes of the body, changed; of a stream, all events as one body."""

    async def act(call: ChatCall, answer: Answer) -> None:
        ordinary = EVENT_STREAM if call.is_streamed else "application/json"
        data = change(_bytes(call, answer))
        call.peer.respond(200, data, content_type or ordinary, headers)

    return Fault(act, is_reply=is_reply)


def payload(change: Callable[[bytes], bytes], *, is_reply: bool = False) -> Fault:
    """The JSON of the body, changed; of a stream, the JSON of a single event."""

    async def act(call: ChatCall, answer: Answer) -> None:
        if not call.is_streamed:
            call.peer.respond(200, change(_json(completion(call, answer))))
            return
        delta = {"content": answer.content}
        event = _json({"choices": [{"delta": delta, "finish_reason": answer.finish_reason}],
                       "usage": answer.usage, "model": answer.model})  # fmt: skip
        call.peer.respond(200, b"data: " + change(event) + b"\n\n" + DONE, EVENT_STREAM)

    return Fault(act, is_reply=is_reply)


def reply_json(change: Callable[[Any], Any]) -> Fault:
    """A JSON reply in which the values are changed; texts that are no JSON stay as they are."""

    async def act(call: ChatCall, answer: Answer) -> None:
        with contextlib.suppress(ValueError):
            answer.content = json.dumps(_mapped(json.loads(answer.content), change))
        # json.dumps writes Infinity, which no model would; 1e999 is what reads as it.
        answer.content = answer.content.replace("Infinity", "1e999")
        send(call, answer)

    return Fault(act, is_reply=True)


def send(call: ChatCall, answer: Answer) -> None:
    """The reply in one go, streamed or not."""
    if not call.is_streamed:
        send_whole(call, answer)
        return
    begin_stream(call)
    call.peer.write(b"".join(chunk(event) for event in [*events(call, answer), DONE]))
    end_stream(call)


async def reset_before_body(call: ChatCall, _answer: Answer) -> None:
    call.peer.reset()


async def reset_inside_body(call: ChatCall, answer: Answer) -> None:
    _write_half(call, answer)
    await asyncio.sleep(0.02)  # so that the client has read it
    call.peer.reset()


async def close_inside_body(call: ChatCall, answer: Answer) -> None:
    _write_half(call, answer)
    call.peer.close()


async def reset_after_body(call: ChatCall, answer: Answer) -> None:
    send(call, answer)
    await asyncio.sleep(0.02)
    call.peer.reset()


async def never_a_byte(_call: ChatCall, _answer: Answer) -> None:
    await asyncio.Event().wait()


async def drip(call: ChatCall, _answer: Answer) -> None:
    """Keeps every read timeout happy and says nothing, for ever."""
    kind = EVENT_STREAM if call.is_streamed else "application/json"
    call.peer.write(head(200, kind, STREAM_HEADERS))
    while True:
        call.peer.write(chunk(b"\n" if call.is_streamed else b" "))
        await asyncio.sleep(DRIP_S)


async def no_finish(call: ChatCall, answer: Answer) -> None:
    answer.finish_reason = None
    if not call.is_streamed:
        send_whole(call, answer)
        return
    _stream(call, events(call, answer))


async def finish_without_done(call: ChatCall, answer: Answer) -> None:
    if call.is_streamed:
        _stream(call, events(call, answer))
    else:
        send_whole(call, answer)


async def hangs_after_finish(call: ChatCall, answer: Answer) -> None:
    """The stream has all of the reply and never ends."""
    if not call.is_streamed:
        send_whole(call, answer)
        return
    begin_stream(call)
    call.peer.write(b"".join(chunk(event) for event in [*events(call, answer), DONE]))
    await asyncio.Event().wait()


async def huge(call: ChatCall, _answer: Answer) -> None:
    kind = EVENT_STREAM if call.is_streamed else "application/json"
    call.peer.write(head(200, kind, STREAM_HEADERS))
    word = "x" * 65_000
    opening = b"" if call.is_streamed else b'{"choices":[{"message":{"content":"'
    piece = word.encode()
    if call.is_streamed:
        piece = b'data: {"choices":[{"delta":{"content":"%b"}}]}\n\n' % piece
    call.peer.write(chunk(opening or b"\n"))
    for _ in range(HUGE_BYTES // len(piece)):
        call.peer.write(chunk(piece))
        await call.peer.drain()
    end_stream(call)


async def long_line(call: ChatCall, _answer: Answer) -> None:
    kind = EVENT_STREAM if call.is_streamed else "application/json"
    call.peer.write(head(200, kind, STREAM_HEADERS))
    call.peer.write(chunk(b'data: {"choices":[{"delta":{"content":"'))
    for _ in range(LONG_LINE_BYTES // 65_536):
        call.peer.write(chunk(b"x" * 65_536))
        await call.peer.drain()
    end_stream(call)


async def other_shape(call: ChatCall, answer: Answer) -> None:
    """JSON for a client that asked for a stream, and a stream for one that did not."""
    if call.is_streamed:
        send_whole(call, answer)
    else:
        _stream(call, [*events(call, answer), DONE])


async def error_inside_success(call: ChatCall, answer: Answer) -> None:
    """As aggregators do it: status 200, and then the bad news."""
    said = b'{"error": {"code": 502, "message": "the provider behind me broke off"}}'
    if call.is_streamed:
        _stream(call, [*events(call, answer)[:3], b"data: " + said + b"\n\n"])
    else:
        call.peer.respond(200, said)


async def content_in_parts(call: ChatCall, answer: Answer) -> None:
    text = answer.content
    answer.content = [{"type": "text", "text": text[:5]}, {"type": "text", "text": text[5:]}]
    send(call, answer)
    answer.content = text


async def reasoning(call: ChatCall, answer: Answer) -> None:
    """Thoughts in a field of their own: no part of the reply."""
    if call.is_streamed:
        thought = b'data: {"choices":[{"delta":{"content":null,"reasoning_content":"hm"}}]}\n\n'
        _stream(call, [thought, *events(call, answer), DONE])
        return
    whole = completion(call, answer)
    whole["choices"][0]["message"]["reasoning_content"] = "hm"
    call.peer.respond(200, _json(whole))


async def usage_in_every_chunk(call: ChatCall, answer: Answer) -> None:
    if not call.is_streamed:
        send_whole(call, answer)
        return
    early = b'"usage":{"prompt_tokens":1,"completion_tokens":1},"choices":'
    *rest, last = events(call, answer)
    _stream(call, [*[event.replace(b'"choices":', early) for event in rest], last, DONE])


def _stream(call: ChatCall, parts: list[bytes]) -> None:
    begin_stream(call)
    call.peer.write(b"".join(chunk(part) for part in parts))
    end_stream(call)


def _bytes(call: ChatCall, answer: Answer) -> bytes:
    if call.is_streamed:
        return b"".join([*events(call, answer), DONE])
    return _json(completion(call, answer))


def _write_half(call: ChatCall, answer: Answer) -> None:
    data = _bytes(call, answer)
    kind = EVENT_STREAM if call.is_streamed else "application/json"
    half = data[: len(data) // 2]
    call.peer.write(head(200, kind, {"Content-Length": str(len(data))}) + half)


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, dict):
        return {name: _mapped(part, change) for name, part in value.items()}
    return change(value)


def _number_to(new: Any) -> Callable[[Any], Any]:
    return lambda value: new if isinstance(value, (int, float)) else value


def _text_to(new: str) -> Callable[[Any], Any]:
    return lambda value: new if isinstance(value, str) else value


def _after(value: str) -> Callable[[], Mapping[str, str]]:
    return lambda: {"Retry-After": value}


FAULTS: Mapping[str, Fault] = {
    # told to wait
    "status_429": status(429),
    "status_429_retry_after_1": status(429, headers=_after("1")),
    "status_429_retry_after_date": status(
        429, headers=lambda: {"Retry-After": formatdate(time.time() + 2, usegmt=True)}
    ),
    "status_429_retry_after_0": status(429, headers=_after("0")),
    "status_429_retry_after_negative": status(429, headers=_after("-5")),
    "status_429_retry_after_absurd": status(429, headers=_after("99999999999")),
    "status_429_retry_after_nonsense": status(429, headers=_after("soon")),
    "status_429_retry_after_ms": status(429, headers=lambda: {"retry-after-ms": "50"}),
    "status_429_spent": status(429, "you exceeded your quota", kind="insufficient_quota"),
    # out of order, for now
    "status_408": status(408),
    "status_409": status(409),
    "status_425": status(425),
    "status_500": status(500),
    "status_502_html": status(502, "Bad Gateway", html=True),
    "status_503": status(503),
    "status_503_retry_after_1": status(503, headers=_after("1")),
    "status_504": status(504),
    "status_529": status(529, "overloaded"),
    # refused, for good
    "status_400": status(400),
    "status_400_context_too_long": status(
        400, "maximum context length is 8192 tokens", kind="context_length_exceeded"
    ),
    "status_401_echoes_key": status(401, "Incorrect API key provided: {key}"),
    "status_402": status(402, "pay first"),
    "status_403": status(403),
    "status_404_model": status(404, "the model does not exist", kind="model_not_found"),
    "status_422": status(422),
    "redirect": status(307, headers=lambda: {"Location": "http://evil.example/v1"}),
    # broken connections
    "reset_before_body": Fault(reset_before_body),
    "reset_inside_body": Fault(reset_inside_body),
    "close_inside_body": Fault(close_inside_body),
    "reset_after_body": Fault(reset_after_body, is_reply=True),
    "never_a_byte": Fault(never_a_byte),
    "drip": Fault(drip),
    # unfinished and oddly finished
    "no_finish": Fault(no_finish),
    "finish_without_done": Fault(finish_without_done, is_reply=True),
    "hangs_after_finish": Fault(hangs_after_finish, is_reply=True),
    "finish_length": answer_with(finish_reason="length"),
    "finish_filter": answer_with(finish_reason="content_filter"),
    "finish_tool_calls": answer_with(finish_reason="tool_calls"),
    # not what was asked for
    "invalid_json": payload(lambda data: data[:-20] + b"oops"),
    "two_objects": payload(lambda data: data + data),
    "bom": body(lambda data: b"\xef\xbb\xbf" + data, is_reply=True),
    "bad_utf8": payload(
        lambda data: data.replace(b'content": "', b'content": "\xff'), is_reply=True
    ),
    "nan": payload(lambda data: data.replace(b"{", b'{"score": NaN, ', 1), is_reply=True),
    "nested_envelope": payload(lambda _: b'{"choices":' + b"[" * 100_000),
    "no_choices": payload(lambda _: b'{"choices": []}'),
    "wrong_content_type": body(lambda data: data, content_type="text/html"),
    "wrong_encoding": body(lambda data: data, headers={"Content-Encoding": "br"}),
    "other_shape": Fault(other_shape, is_reply=True),
    "error_inside_success": Fault(error_inside_success),
    "content_in_parts": Fault(content_in_parts, is_reply=True),
    "reasoning": Fault(reasoning, is_reply=True),
    "empty": answer_with(content=""),
    "null": answer_with(content=None),
    "blank": answer_with(content=" \n\t "),
    # too much
    "huge_body": Fault(huge),
    "long_line": Fault(long_line),
    "gzip": body(gzip.compress, headers={"Content-Encoding": "gzip"}, is_reply=True),
    "gzip_bomb": body(
        lambda _: gzip.compress(b" " * HUGE_BYTES, 1), headers={"Content-Encoding": "gzip"}
    ),
    # text that bites
    **{name: answer_with(content=text) for name, text in NASTY_TEXT.items()},
    # counts that make no sense
    "usage_absent": answer_with(usage=None),
    "usage_negative": answer_with(usage={"prompt_tokens": -1, "completion_tokens": -1}),
    "usage_absurd": answer_with(usage={"prompt_tokens": 10**12, "completion_tokens": 10**30}),
    "usage_text": answer_with(usage={"prompt_tokens": "many", "completion_tokens": None}),
    "usage_infinite": answer_with(usage={"prompt_tokens": math.inf, "completion_tokens": 1}),
    "usage_in_every_chunk": Fault(usage_in_every_chunk, is_reply=True),
    # answers that do not fit the question
    "score_text": reply_json(_number_to("7")),
    "score_11": reply_json(_number_to(11)),
    "score_true": reply_json(_number_to(True)),
    "score_1e999": reply_json(_number_to(math.inf)),
    "winner_stranger": reply_json(_text_to("Nobody At All")),
    "no_json": answer_with(content="I would rather not say."),
}
