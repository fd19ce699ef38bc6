"""The one door: checks in their order, then the body, then the app. Accidents end here."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from functools import partial

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from moot.api.guards.bodies import Gone, read_body, read_file, read_question, replay
from moot.api.guards.dialects import in_dialect, is_v1
from moot.api.guards.headers import with_headers
from moot.api.guards.proxies import as_told_by
from moot.api.guards.sites import SAFE, check_host, check_origin
from moot.api.guards.tokens import check_token, has_token
from moot.api.operations import Requests
from moot.api.parts import ApiParts
from moot.api.problems import of_accident

log = logging.getLogger(__name__)

Check = Callable[[Scope], Response | None]

ABORT = "moot.abort"
"""In the scope: cuts the connection at once. A client that does not read would never be done."""


READERS = {"/api/imports": read_file}
"""What reads bodies of other kinds, by path; below `/v1`, `read_question` does."""


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
