"""What `GET /api/debates/{id}` costs while the debate runs, however long it has become.

The app is that of `moot serve`, called without a socket: only what Moot does is counted.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from typing import Any

from benchmarks.long_debate import long_debate
from benchmarks.measure import Job
from moot.models.port import ChatReply, ChatRequest, OnText
from moot.protocol.words import View
from moot.serving import open_server
from moot.settings import load_settings
from moot.testing.scripted import ScriptedModel, ScriptedModels

HOST = "127.0.0.1"
TIMES = 200
PATIENCE_S = 120
"""Enough for all turns of the debate: it takes longer only if it stands still."""


class Stalling(ScriptedModel):
    """A model that answers `replies` times, and then keeps everybody waiting."""

    def __init__(self, replies: int) -> None:
        super().__init__(lambda _request: "It follows that it depends on what was asked.")
        self._left = replies
        self.is_out = asyncio.Event()

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        if not self._left:
            self.is_out.set()
            await asyncio.Event().wait()
        self._left -= 1
        return await super().reply(request, on_text)


async def reading_costs(job: Job) -> list[float]:
    """The CPU milliseconds of every reading of a debate that has come to `job.size` turns."""
    model = Stalling(job.size)
    new = long_debate(job.size + 1, "scripted:debater", View.BLANK)
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as home:
        settings = load_settings(home=home)
        models = ScriptedModels(model)
        async with open_server(settings, host=HOST, models=models) as (app, system):
            debate_id = await system.service.create(new, start=True)
            async with asyncio.timeout(PATIENCE_S):
                await model.is_out.wait()
            body = await _got(app, f"/api/debates/{debate_id}")
            assert f'"turns":{job.size}'.encode() in body.replace(b" ", b""), body
            costs = [await _cost_ms(app, f"/api/debates/{debate_id}") for _ in range(TIMES)]
            await system.service.command(debate_id, "cancel")  # nobody is waited for at the end
            return costs


async def _cost_ms(app: Any, path: str) -> float:
    started = time.process_time()
    await _got(app, path)
    return 1000 * (time.process_time() - started)


async def _got(app: Any, path: str) -> bytes:
    """The body of the answer."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", HOST.encode())],
        "client": (HOST, 1),
        "server": (HOST, 80),
    }
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(scope, receive, send)
    assert sent[0]["status"] == 200, sent
    return b"".join(message.get("body", b"") for message in sent[1:])
