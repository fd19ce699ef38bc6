"""How the protocol travels: by standard input and output, or by HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import ASGIApp

from moot.mcp.pipes import Pipes
from moot.mcp.port import Door
from moot.mcp.server import create_server

MOST_SESSIONS = 1000
"""Of hosts that speak the protocol of 2025, each of which is a task."""
IDLE_S = 30 * 60
MOST_BYTES = 64_000_000
"""No limit of ours: the guards around the app have read the body, and refused what is too big."""


async def over_stdio(door: Door, pipes: Pipes, *, secret: bytes, version: str) -> None:
    """Serve the one host at the other end until it closes its end."""
    server = create_server(door, secret=secret, version=version)
    ends: Any = pipes  # of anyio's files, only what `Pipes` has is used
    async with stdio_server(ends, ends) as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


@asynccontextmanager
async def over_http(door: Door, *, secret: bytes, version: str) -> AsyncIterator[ASGIApp]:
    """The app for one path of a server. Who may come in at all is decided around it."""
    manager = StreamableHTTPSessionManager(
        create_server(door, secret=secret, version=version),
        max_request_body_size=MOST_BYTES,
        session_idle_timeout=IDLE_S,
        max_sessions=MOST_SESSIONS,
    )
    async with manager.run():
        yield manager.handle_request
