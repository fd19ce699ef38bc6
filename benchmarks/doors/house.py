"""A server in this process, on a real socket, with scripted models and one panel."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path

import msgspec
import uvicorn

from moot.api import ApiParts, create_app
from moot.api.server import Doors, Server
from moot.models.port import ChatModel
from moot.serving import api_parts
from moot.settings import load_settings
from moot.testing.scripted import ScriptedModels
from moot.wiring import System, open_dispatching

PANEL = """
name: quick
about: Two debate a statement each; a judge decides.
format: duel
settings: {turns: 1}
debaters: [{name: Ada, personality: You are Ada.}, {name: Bob, personality: You are Bob.}]
judge: {name: Jo, personality: You are Jo.}
"""
LONG_S = 600.0


class House(msgspec.Struct, frozen=True, kw_only=True):
    system: System
    parts: ApiParts
    port: int


@asynccontextmanager
async def house(home: Path, model: ChatModel) -> AsyncIterator[House]:
    """The server, listening."""
    (home / "panels").mkdir(parents=True, exist_ok=True)
    (home / "panels" / "quick.yaml").write_text(PANEL)
    settings = load_settings(home=home, tracing=False, questions_per_minute=100_000)
    models = ScriptedModels(model)
    async with open_dispatching(settings, models=models) as system:
        parts = api_parts(system, "127.0.0.1")
        listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
        config = uvicorn.Config(
            create_app(parts), log_config=None, lifespan="off", ws="none", access_log=False
        )
        doors = Doors(connections=1500, header_s=LONG_S, unread_s=LONG_S)
        server = Server(config, listener, doors)
        server.capture_signals = nullcontext  # type: ignore[assignment]
        running = asyncio.create_task(server.serve())
        while not server.started:  # noqa: ASYNC110 - uvicorn tells nobody
            await asyncio.sleep(0.001)
        try:
            yield House(system=system, parts=parts, port=listener.getsockname()[1])
        finally:
            server.should_exit = server.force_exit = True
            await running
