"""The door `/v1` in the process of the test: the real server on a real socket, scripted models.

`ask` speaks to the app without a socket, `client` and `blocking` are the real openai client.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

import httpx
import openai
import uvicorn
from tests.unit.api.serving import Serving, serving

from moot.api.server import Doors, Server
from moot.models.port import ChatModel, ChatReply, ChatRequest, OnText
from moot.protocol.values import Origin
from moot.testing.scripted import Said, ScriptedModel, sensible

KEY = "sk-a-client-of-ours"
LONG_S = 60.0
QUICK = """
name: quick
about: Two debate a statement each; a judge decides.
format: duel
settings: {turns: 1}
debaters: [{name: Ada, personality: You are Ada.}, {name: Bob, personality: You are Bob.}]
judge: {name: Jo, personality: You are Jo.}
"""
ASKING = """
name: asking
about: Members that ask first.
format: council
settings: {rounds: 1, interactive_clarifications: true, clarifications_max_iterations: 1}
participants:
  - {name: Ada, role: member}
  - {name: Bo, role: member}
  - {name: Jo, role: judge}
"""
QUESTION = "Tabs or spaces?"
USER: list[Any] = [{"role": "user", "content": QUESTION}]


class Desk:
    """What tests do at the door all the time."""

    def __init__(self, on: Serving, model: ScriptedModel | ChatModel, url: str) -> None:
        self.on = on
        self.model = model
        self.url = url
        self._clients: list[openai.AsyncOpenAI] = []

    def client(self, **options: Any) -> Any:
        given = {"api_key": KEY, "max_retries": 0, "timeout": LONG_S, **options}
        self._clients.append(openai.AsyncOpenAI(base_url=f"{self.url}/v1", **given))
        return self._clients[-1]

    async def close(self) -> None:
        for one in self._clients:
            await one.close()

    def blocking(self, **options: Any) -> Any:
        given = {"api_key": KEY, "max_retries": 0, "timeout": LONG_S, **options}
        return openai.OpenAI(base_url=f"{self.url}/v1", **given)

    async def ask(self, body: Any, path: str = "/v1/chat/completions", **headers: str) -> Any:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.on.client.post(path, json=body, headers=given)

    async def chat(self, **body: Any) -> httpx.Response:
        found: httpx.Response = await self.ask({"model": "quick", "messages": USER, **body})
        return found

    async def origins(self) -> list[Origin]:
        """Those of all debates, newest first."""
        rows = (await self.on.service.list()).items
        states = [await self.on.service.state(row.id) for row in rows]
        return [one.config.origin for one in states if one.config.origin]

    async def debates(self) -> list[str]:
        return [row.id for row in (await self.on.service.list(door="v1")).items]


def frames(text: str) -> list[Any]:
    """The data of a stream, without comments."""
    found = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
    return [one if one == "[DONE]" else json.loads(one) for one in found]


def told(chunks: list[Any], field: str = "content") -> str:
    """What the deltas of a stream amount to."""
    choices = (one["choices"] for one in chunks if one != "[DONE]" and "choices" in one)
    return "".join(one[0]["delta"].get(field) or "" for one in choices if one)


def by_label(**replies: Said) -> Callable[[ChatRequest], Said]:
    """A script: for labels that have such a part (`__` for `/`), these replies; else sensible."""

    def script(request: ChatRequest) -> Said:
        for part, said in replies.items():
            if part.replace("__", "/") in request.label:
                return said
        return sensible(request)

    return script


class Gated:
    """A model that answers nobody until it is opened, or only as many calls as it is let.

    With a `label`, all other calls are answered at once. `begun` are the calls that were paid for.
    """

    def __init__(self, script: Callable[[ChatRequest], Said] = sensible, label: str = "") -> None:
        self.inner = ScriptedModel(script)
        self.label = label
        self.begun: list[str] = []
        self._places = asyncio.Semaphore(0)
        self._open = asyncio.Event()

    @property
    def calls(self) -> int:
        """How many were answered."""
        return len(self.inner.requests)

    def let(self, calls: int) -> None:
        for _ in range(calls):
            self._places.release()

    def open(self) -> None:
        self._open.set()
        self.let(1000)

    def close_again(self) -> None:
        self._open.clear()
        self._places = asyncio.Semaphore(0)

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        self.begun.append(request.label)
        if self.label in request.label and not self._open.is_set():
            await self._places.acquire()
        return await self.inner.reply(request, on_text)

    async def close(self) -> None:
        await self.inner.close()


async def nobody_waits() -> None:
    """Return when the server has noticed that all its clients are gone."""
    async with asyncio.timeout(20):
        while any("_until_gone" in str(one.get_coro()) for one in asyncio.all_tasks()):  # noqa: ASYNC110
            await asyncio.sleep(0.005)


@asynccontextmanager
async def desk(
    path: Path,
    model: ChatModel | None = None,
    *,
    panels: Mapping[str, str] | None = None,
    listens: bool = False,
    **changes: Any,
) -> AsyncIterator[Desk]:
    """The door, open, with the panels `quick` and `asking` besides the shipped ones.

    Only if it `listens` can the real clients come.
    """
    folder = path / "panels"
    folder.mkdir(exist_ok=True)
    for name, text in {"quick": QUICK, "asking": ASKING, **(panels or {})}.items():
        (folder / f"{name}.yaml").write_text(text)
    used = model or ScriptedModel()
    async with serving(path, used, **changes) as on:
        if not listens:
            yield Desk(on, used, "http://localhost:8000")
            return
        async with _listening(on) as url:
            opened = Desk(on, used, url)
            yield opened
            await opened.close()


@asynccontextmanager
async def _listening(on: Serving) -> AsyncIterator[str]:
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    config = uvicorn.Config(on.app, log_config=None, lifespan="off", ws="none", access_log=False)
    config.timeout_graceful_shutdown = 1
    server = Server(config, listener, Doors(connections=900, header_s=LONG_S, unread_s=LONG_S))
    server.capture_signals = nullcontext  # type: ignore[assignment]
    running = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn tells nobody
        await asyncio.sleep(0.001)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = server.force_exit = True
        await running
