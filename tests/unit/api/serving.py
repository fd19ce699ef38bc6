"""A server in the process of the test: the real app on a real SQLite file, with a scripted model.

`client` speaks to the app without a socket. `stream` opens an event stream, which httpx cannot do
without one: it waits for the whole body.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self

import httpx
import msgspec
from starlette.types import ASGIApp, Message

from moot.api import ApiLimits, create_app
from moot.definitions import personas
from moot.engine.clock import Clock, SystemClock
from moot.models.overview import Entry, Overview
from moot.models.port import ChatModel, ModelFacts
from moot.models.registry import Availability
from moot.protocol.events import Recorded
from moot.queue.dispatcher import Dispatcher
from moot.serving import api_parts
from moot.settings import load_settings
from moot.store.backends.sqlite.store import SqliteStore
from moot.testing.scripted import ScriptedModel, ScriptedModels
from moot.wiring import System, open_dispatching

PATIENCE_S = 30
SECRET = b"s" * 32
LOOK_EVERY_S = 0.2
SCRIPTED = Availability(provider="scripted", is_usable=True, default_model="scripted:debater")
OVERVIEW = Overview(entries=(Entry(provider=SCRIPTED),))


class CountedStore(SqliteStore):
    """Counts how often the log is read."""

    reads = 0

    async def read(
        self, debate_id: str, *, after: int = 0, limit: int | None = None
    ) -> list[Recorded]:
        self.reads += 1
        return await super().read(debate_id, after=after, limit=limit)


class Serving:
    """Everything that is open, with short words for what tests do all the time.

    It is what `moot serve` opens; only what is shown of models and of the version is made up.
    """

    def __init__(self, path: Path, system: System) -> None:
        self.store = system.store
        self.service = system.service
        self.system = system
        self.clock = SystemClock()
        self.parts = msgspec.structs.replace(
            api_parts(system, "127.0.0.1"),
            secret=SECRET,
            overview=lambda: OVERVIEW,
            personas=lambda: personas.library(path / "personas"),
            own_personas=path / "personas",
            version="test",
        )
        self.app: ASGIApp
        self.client: httpx.AsyncClient

    @property
    def dispatcher(self) -> Dispatcher:
        assert self.system.dispatcher is not None
        return self.system.dispatcher

    @property
    def reads(self) -> int:
        assert isinstance(self.store, CountedStore)
        return self.store.reads

    def open(self, **changes: Any) -> None:
        self.parts = msgspec.structs.replace(self.parts, **changes)
        self.app = create_app(self.parts)
        self.client = client_of(self.app)

    async def create(self, *, start: bool = False, **body: Any) -> str:
        """A short debate, and its id."""
        given: dict[str, Any] = {"format": "rounds", "topic": "Is it so?", "start": start} | body
        if given["format"] == "rounds":
            given["settings"] = {"max_rounds": 1} | given.get("settings", {})
        answer = await self.client.post("/api/debates", json=given)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    async def get(self, path: str) -> Any:
        answer = await self.client.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def debate(self, debate_id: str) -> Any:
        return await self.get(f"/api/debates/{debate_id}")

    async def command(self, debate_id: str, name: str) -> httpx.Response:
        return await self.client.post(f"/api/debates/{debate_id}/{name}")

    async def until(self, debate_id: str, *statuses: str) -> Any:
        """The debate, once it has one of these statuses."""
        async with asyncio.timeout(PATIENCE_S):
            async for _ in self.service.follow(debate_id):
                found = await self.debate(debate_id)
                if found["status"] in statuses:
                    return found
        return await self.debate(debate_id)

    def stream(self, debate_id: str, query: str = "", **headers: str) -> Stream:
        return Stream(self.app, f"/api/debates/{debate_id}/events", query, headers)


@asynccontextmanager
async def serving(
    path: Path,
    model: ChatModel | None = None,
    *,
    worker: bool = True,
    facts: ModelFacts | None = None,
    clock: Clock | None = None,
    **changes: Any,
) -> AsyncIterator[Serving]:
    """The server, open; with `worker`, debates that are running are run."""
    store = await CountedStore.open(path / "moot.db")
    opened = open_dispatching(
        load_settings(home=path, secret=SECRET.decode(), tracing=False),
        has_worker=worker,
        store=store,
        models=ScriptedModels(model or ScriptedModel(), facts=facts),
        look_every_s=LOOK_EVERY_S,
        clock=clock or SystemClock(),
    )
    try:
        async with asyncio.timeout(PATIENCE_S), opened as system:
            made = Serving(path, system)
            changes.setdefault("limits", ApiLimits(creations_per_minute=100_000))
            made.open(**changes)
            async with made.client:
                yield made
    finally:
        await store.close()


def client_of(app: ASGIApp, **options: Any) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=app)
    return httpx.AsyncClient(transport=transport, base_url="http://localhost:8000", **options)


class Frame(msgspec.Struct, frozen=True):
    """One frame of a stream; a comment has neither event nor data."""

    event: str | None
    data: Any
    id: int | None
    raw: str

    @classmethod
    def read(cls, raw: str) -> Self:
        """As the standard says: one field per line, a colon, and at most one blank after it."""
        fields: dict[str, str] = {}
        for line in re.split(r"\r\n|\n|\r", raw):
            name, _, value = line.partition(":")
            assert name not in fields, f"{name} twice in {raw!r}"
            fields[name] = value.removeprefix(" ")
        number = fields.get("id")
        return cls(
            event=fields.get("event"),
            data=json.loads(fields["data"]) if "data" in fields else None,
            id=int(number) if number else None,
            raw=raw,
        )


class Stream:
    """One viewer. Entering waits for the status; leaving disconnects."""

    def __init__(self, app: ASGIApp, path: str, query: str, headers: Mapping[str, str]) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.may_read = asyncio.Event()
        self.may_read.set()
        self._app = app
        given = {"host": "localhost:8000"} | {k.replace("_", "-"): v for k, v in headers.items()}
        self._scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(k.lower().encode(), v.encode()) for k, v in given.items()],
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", 8000),
        }
        self._frames: asyncio.Queue[Frame | None] = asyncio.Queue()
        self._started = asyncio.Event()
        self._gone = asyncio.Event()
        self._rest = ""

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(lambda _: self._frames.put_nowait(None))
        self._task.add_done_callback(lambda _: self._started.set())
        await self._started.wait()
        return self

    async def _run(self) -> None:
        await self._app(self._scope, self._receive, self._send)

    async def __aexit__(self, *_: object) -> None:
        self._gone.set()
        await self._task

    @property
    def is_over(self) -> bool:
        return self._task.done()

    async def over(self) -> None:
        """Return when the server has ended the stream."""
        await asyncio.wait([self._task])

    async def next(self) -> Frame | None:
        """The next frame, or None at the end."""
        async with asyncio.timeout(PATIENCE_S):
            return await self._frames.get()

    async def events(self, *, until: int | None = None) -> list[Frame]:
        """Frames that are no comments, to the end or to event `until`."""
        found: list[Frame] = []
        while frame := await self.next():
            if frame.event is not None:
                found.append(frame)
            if until is not None and frame.id == until:
                break
        return found

    async def seqs(self, *, until: int | None = None) -> list[int]:
        return [frame.id for frame in await self.events(until=until) if frame.id is not None]

    async def _receive(self) -> Message:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        await self.may_read.wait()
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {k.decode(): v.decode() for k, v in message["headers"]}
            self._started.set()
            return
        *whole, self._rest = (self._rest + message.get("body", b"").decode()).split("\n\n")
        for raw in whole:
            self._frames.put_nowait(Frame.read(raw))
