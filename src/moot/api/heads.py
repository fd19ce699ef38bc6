"""HEAD wherever there is GET: the same answer, up to where its body would begin."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send


async def answer_head(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Let the app answer a GET, and leave it as soon as the headers are known.

    It is left by cancelling, as if the client had gone: a stream of events would have no end.
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
