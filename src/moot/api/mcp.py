"""`/mcp`: the door for coding assistants, opened by the first who comes.

What is behind it takes a second to import and may not be installed, so none of it is touched
before that. The guards stand in front of it, as in front of everything else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from http import HTTPStatus

from starlette.types import ASGIApp, Receive, Scope, Send

from moot.api.problems import problem

PATH = "/mcp"
MISSING = "this server has no MCP door: run `pip install 'moot[mcp]'` there, and start it again"

RETURNING_S = 1.0
"""How long a call that nobody waits for any more may take to return."""

Opens = Callable[[], AbstractAsyncContextManager[ASGIApp]]
"""Opens what is behind the door. Raises ModuleNotFoundError if it is not installed."""


class McpMount:
    """An ASGI app that opens another when it is first asked for, and keeps it open."""

    def __init__(self, opens: Opens) -> None:
        self._opens = opens
        self._opened: asyncio.Future[ASGIApp] | None = None
        self._keeping: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._keeping is None or self._keeping.done():
            self._opened = asyncio.get_running_loop().create_future()
            self._keeping = asyncio.create_task(self._keep(self._opened), name="mcp")
        assert self._opened is not None  # noqa: S101 - set with the task
        try:
            # Shielded: others wait for it too.
            app = await asyncio.shield(self._opened)
        except ModuleNotFoundError:
            response = problem(HTTPStatus.NOT_IMPLEMENTED, "mcp_not_installed", MISSING)
            await response(scope, receive, send)
            return
        await app(scope, receive, send)

    def leave(self) -> None:
        """End what hosts would hold open for as long as they like, once calls have had time to
        return."""
        if self._keeping is not None:
            asyncio.get_running_loop().call_later(RETURNING_S, self._keeping.cancel)

    async def close(self) -> None:
        """Close what was opened, if anything was."""
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.gather(self._keeping, return_exceptions=True)

    async def _keep(self, opened: asyncio.Future[ASGIApp]) -> None:
        """Open what is behind the door, and close it in the same task, as it must be."""
        try:
            async with self._opens() as app:
                opened.set_result(app)
                await asyncio.get_running_loop().create_future()
        except Exception as error:
            if opened.done():
                raise
            opened.set_exception(error)
        finally:
            opened.cancel()
