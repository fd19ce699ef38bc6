"""One server process: the app of `moot serve` on uvicorn and SQLite, with a stand-in for a model.

It prints its port, and then answers lines: `create` with the ids of new debates, `report` with what
was used since `begin`, and `begin`, `look`, `hold` and `release` with how the debates stand.
"""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import psutil
import uvicorn

from benchmarks.runtime.model import Model
from benchmarks.runtime.share import heard
from moot.engine.creation import NewDebate
from moot.protocol.words import Status
from moot.serving import open_server
from moot.settings import load_settings
from moot.testing.scripted import ScriptedModels
from moot.wiring import System

HOST = "127.0.0.1"
SAMPLE_S = 0.1
READS = ("read", "summary")
"""The methods by which the store is asked to read anything."""


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    latency_s: float


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Debates to be created. Not over HTTP, which refuses so many in a minute."""

    count: int
    rounds: int
    start: bool


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How the debates stand; `held` are those whose model may not answer yet."""

    held: int
    completed: int
    failed: int


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What happened since `begin`."""

    cpu_s: float
    rss_mb: float
    """At its peak."""
    reads: int
    steps: int
    overhead_p50_ms: float
    overhead_p95_ms: float


class Serving:
    """A running server, and what is counted about it."""

    def __init__(self, system: System, model: Model) -> None:
        self._system = system
        self._model = model
        self._reads = 0
        self._process = psutil.Process(os.getpid())
        for name in READS:
            setattr(system.store, name, self._counted(getattr(system.store, name)))
        self.begin()

    def _counted(self, read: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        def counted(*args: Any, **named: Any) -> Awaitable[Any]:
            self._reads += 1
            return read(*args, **named)

        return counted

    def begin(self) -> None:
        gc.collect()
        self._cpu = time.process_time()
        self._most_rss = self._process.memory_info().rss
        self._reads = 0
        self._replies = self._model.replies
        self._model.overheads_s.clear()

    async def watch_memory(self) -> None:
        while True:
            self._most_rss = max(self._most_rss, self._process.memory_info().rss)
            await asyncio.sleep(SAMPLE_S)

    async def answer(self, line: str) -> list[str] | Progress | Report:
        word, _, rest = line.partition(" ")
        match word:
            case "create":
                return await self._create(msgspec.json.decode(rest, type=Wanted))
            case "report":
                return self._report()
            case "begin":
                self.begin()
            case "hold":
                self._model.may_answer.clear()
            case "release":
                self._model.may_answer.set()
            case _:
                pass
        return await self._progress()

    def dismiss_viewers(self) -> None:
        self._system.service.dismiss_viewers()

    async def _create(self, wanted: Wanted) -> list[str]:
        new = NewDebate(
            topic="Is it so?",
            format="rounds",
            settings={"max_rounds": wanted.rounds, "max_total_output_tokens": None},
        )
        create = self._system.service.create
        return await asyncio.gather(*(create(new, start=wanted.start) for _ in range(wanted.count)))

    async def _progress(self) -> Progress:
        counts = await self._system.store.count()
        return Progress(
            held=self._model.held,
            completed=counts.get(Status.COMPLETED, 0),
            failed=counts.get(Status.FAILED, 0),
        )

    def _report(self) -> Report:
        cpu_s = time.process_time() - self._cpu
        # Two more, because there may be none, and `quantiles` needs some.
        overheads = [1000 * one for one in self._model.overheads_s] + [0.0, 0.0]
        hundredths = statistics.quantiles(overheads, n=100, method="inclusive")
        return Report(
            cpu_s=cpu_s,
            rss_mb=self._most_rss / 2**20,
            reads=self._reads,
            steps=self._model.replies - self._replies,
            overhead_p50_ms=hundredths[49],
            overhead_p95_ms=hundredths[94],
        )


@asynccontextmanager
async def serving(setup: Setup) -> AsyncIterator[tuple[Any, Serving]]:
    model = Model(setup.latency_s)
    models = ScriptedModels(model, max_concurrent=10_000)
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as home:
        settings = load_settings(home=home)
        async with open_server(settings, host=HOST, models=models) as (app, system):
            made = Serving(system, model)
            watching = asyncio.create_task(made.watch_memory())
            try:
                yield app, made
            finally:
                watching.cancel()
                await asyncio.gather(watching, return_exceptions=True)


async def main() -> None:
    setup = msgspec.json.decode(sys.argv[1], type=Setup)
    with socket.create_server((HOST, 0), backlog=2048) as listening:
        async with serving(setup) as (app, made):
            config = uvicorn.Config(
                app, log_level="warning", access_log=False, lifespan="off", proxy_headers=False
            )
            server = uvicorn.Server(config)
            running = asyncio.create_task(server.serve(sockets=[listening]))
            print(listening.getsockname()[1], flush=True)
            while line := await heard():
                print(msgspec.json.encode(await made.answer(line)).decode(), flush=True)
            made.dismiss_viewers()
            server.should_exit = True
            await running


if __name__ == "__main__":
    asyncio.run(main())
