"""The one door: checks in their order, then the body, then the app. Accidents end here.

Bodies are read here and nowhere else, within bounds of size, time and depth; and here every
response, whoever made it, is given its headers.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from functools import partial

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from moot.api.guards.dialects import in_dialect, is_v1
from moot.api.guards.sites import SAFE, as_told_by, check_host, check_origin
from moot.api.guards.tokens import check_token, has_token
from moot.api.operations import Requests
from moot.api.parts import ApiLimits, ApiParts
from moot.api.problems import of_accident, problem
from moot.engine.shapes import shape_of

log = logging.getLogger(__name__)

Check = Callable[[Scope], Response | None]

ABORT = "moot.abort"
"""In the scope: cuts the connection at once. A client that does not read would never be done."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
UNLESS_SET = {"Content-Security-Policy": POLICY, "Cache-Control": "no-store"}
"""Defaults: a document with a stricter policy, or a file that never changes, can have its own."""


class Guarded:
    """An ASGI app around another, which nothing reaches unchecked."""

    def __init__(self, app: ASGIApp, parts: ApiParts, requests: Requests) -> None:
        self._app = app
        self._limits = parts.limits
        self._requests = requests
        self._tell_client = as_told_by(parts.trusted_proxies)
        self._checks: Sequence[Check] = (
            check_host(parts.allowed_hosts),
            check_origin(has_token(parts.token)),
            check_token(parts.token),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            scope[ABORT] = partial(_abort, send)
            self._tell_client(scope)
            await self._answer(scope, receive, in_dialect(scope, with_headers(send)))
        else:  # we have no WebSockets
            await send({"type": "websocket.close", "code": 1008})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()
        started: list[int] = []

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                started.append(message["status"])
                self._requests.count(scope, message["status"], time.perf_counter() - began)
            await send(message)

        try:
            await self._pass(scope, receive, sending)
        except Gone:
            pass
        except Exception as error:
            if started:
                # It is told already, or too late to tell; the server cuts an incomplete response.
                log.debug("response broke", exc_info=True)
                return
            await of_accident(error)(scope, receive, sending)

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        for check in self._checks:
            if refusal := check(scope):
                await refusal(scope, receive, send)
                return
        if scope["method"] not in SAFE:
            usual = read_question if is_v1(scope["path"]) else read_body
            read = READERS.get(scope["path"], usual)
            body = await read(scope, receive, self._limits)
            if isinstance(body, Response):
                await body(scope, receive, send)
                return
            receive = replay(body, receive)
        if scope["method"] == "HEAD":
            await answer_head(self._app, scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _abort(send: Send) -> None:
    # ASGI has no way to do this. uvicorn's `send` is a method of the object that has the
    # connection; with any other server the connection ends when the other side, or the system,
    # gives up.
    transport = getattr(getattr(send, "__self__", None), "transport", None)
    if isinstance(transport, asyncio.WriteTransport):
        transport.abort()


async def answer_head(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Let the app answer a GET, and leave it as soon as the headers are known.

    The app is cancelled, as if the client had gone: a stream of events would never end.
    """
    as_get = {**scope, "method": "GET"}
    told = asyncio.get_running_loop().create_future()

    async def sending(message: Message) -> None:
        if not told.done():
            scope.update({"route": as_get["route"]} if "route" in as_get else {})
            told.set_result(message)
        await asyncio.get_running_loop().create_future()

    working = asyncio.create_task(_run(app, as_get, receive, sending))
    try:
        await asyncio.wait([working, told], return_when=asyncio.FIRST_COMPLETED)
        if not told.done():
            await working
            return
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
    await send(told.result())
    await send({"type": "http.response.body", "body": b""})


async def _run(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    await app(scope, receive, send)


def with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(ALWAYS)
            for name, value in UNLESS_SET.items():
                headers.setdefault(name, value)
        await send(message)

    return sending


class Gone(Exception):
    """The client left before its body had arrived."""


async def read_body(scope: Scope, receive: Receive, limits: ApiLimits) -> bytes | Response:
    """The whole body, or why it is refused. Raises Gone."""
    body = await _read(scope, receive, limits.body_bytes, limits)
    return body if isinstance(body, Response) else _too_intricate(body, limits) or body


async def read_question(scope: Scope, receive: Receive, limits: ApiLimits) -> bytes | Response:
    """As `read_body`, for a question over `/v1`, which may be longer: a conversation is in it."""
    wider = msgspec.structs.replace(
        limits, body_bytes=limits.question_bytes, json_parts=limits.question_parts
    )
    return await read_body(scope, receive, wider)


async def read_file(scope: Scope, receive: Receive, limits: ApiLimits) -> bytes | Response:
    """As `read_body`, for a file: it may be larger, and is checked by whoever takes it in."""
    return await _read(scope, receive, limits.import_bytes, limits)


READERS = {"/api/imports": read_file}
"""What reads bodies of other kinds, by path; below `/v1`, `read_question` does."""


async def _read(scope: Scope, receive: Receive, most: int, limits: ApiLimits) -> bytes | Response:
    if _declared(scope) > most:
        return _too_large(most)
    try:
        async with asyncio.timeout(limits.body_s):
            body = await _collect(receive, most)
    except TimeoutError:
        detail = f"the body took longer than {limits.body_s:g} s"
        return problem(408, "body_too_slow", detail, headers={"Connection": "close"})
    return _too_large(most) if body is None else body


def replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that hands out the body that was read, and then whatever comes."""
    parts: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receiving() -> Message:
        return parts.pop() if parts else await receive()

    return receiving


def _too_intricate(body: bytes, limits: ApiLimits) -> Response | None:
    """The refusal of a body that would take too long to check: every field that is wrong would be
    told, and tens of thousands of them would hold up everybody else."""
    depth, parts = shape_of(body, limits.json_depth, limits.json_parts)
    if depth > limits.json_depth:
        detail = f"the body is nested deeper than {limits.json_depth} levels"
        return problem(400, "too_deep", detail)
    if parts > limits.json_parts:
        detail = f"the body has more than {limits.json_parts:,} strings, lists and objects"
        return problem(413, "too_many_parts", detail)
    return None


async def _collect(receive: Receive, most: int) -> bytes | None:
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > most:
            return None
        chunks.append(chunk)
        if not message.get("more_body", False):
            return b"".join(chunks)


def _declared(scope: Scope) -> int:
    given = Headers(scope=scope).get("content-length", "0")
    # The server itself refuses what is not a number; a number of 18 digits is too much anyway.
    return int(given[:18]) if given.isascii() and given.isdigit() else 0


def _too_large(most: int) -> Response:
    detail = f"the body is too large; at most {most} bytes are taken"
    return problem(413, "body_too_large", detail, headers={"Connection": "close"})
