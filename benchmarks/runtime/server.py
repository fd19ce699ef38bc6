"""One server process: the real app on uvicorn and SQLite, with a worker and a model that is none.

The parts are those of `wiring.open_server`, with a store that counts and no limit on creating.
It tells its port, and then answers lines: `report` with what was used since `begin`; that and
`look`, `hold` and `release` with how the debates stand.
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
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import psutil
import uvicorn

from benchmarks.runtime.model import Model
from benchmarks.runtime.share import heard
from moot.api import ApiLimits, create_app
from moot.protocol.events import DebateCompleted, DebateFailed, Recorded
from moot.protocol.row import DebateRow
from moot.settings import MootSettings
from moot.store.backends.sqlite import SqliteStore
from moot.testing.scripted import ScriptedModels
from moot.wiring import System, api_parts, open_dispatching

ENOUGH = 1_000_000
SAMPLE_S = 0.1


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    latency_s: float


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How the debates stand; `held` are those whose model may not answer yet."""

    held: int
    completed: int
    failed: int


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What happened since `begin`."""

    cpu_s: float
    rss_mb: float
    """The most there was."""
    reads: int
    events: int
    steps: int
    overhead_p50_ms: float
    overhead_p95_ms: float


class CountedStore(SqliteStore):
    """Counts how often anything is read, and what is appended."""

    reads = 0
    events = 0
    completed = 0
    failed = 0

    async def read(self, debate_id: str, **which: Any) -> list[Recorded]:
        self.reads += 1
        return await super().read(debate_id, **which)

    async def summary(self, debate_id: str) -> DebateRow:
        self.reads += 1
        return await super().summary(debate_id)

    async def append(
        self, records: Sequence[Recorded], summary: DebateRow, *, fence: int | None = None
    ) -> None:
        await super().append(records, summary, fence=fence)
        self.events += len(records)
        for record in records:
            self.completed += isinstance(record.event, DebateCompleted)
            self.failed += isinstance(record.event, DebateFailed)


class Serving:
    def __init__(self, system: System, store: CountedStore, model: Model) -> None:
        self.store = store
        self.model = model
        self.counts = system.live.counts
        self.service = system.service
        limits = ApiLimits(creations_per_minute=ENOUGH)
        parts = msgspec.structs.replace(api_parts(system, "127.0.0.1"), limits=limits)
        self.app = create_app(parts)
        self._process = psutil.Process(os.getpid())
        self.begin()

    def begin(self) -> None:
        gc.collect()
        self._cpu = time.process_time()
        self._most_rss = self._process.memory_info().rss
        self._reads, self._events = self.store.reads, self.store.events
        self._steps = self.counts["steps"]
        self.model.overheads_s.clear()

    async def watch_memory(self) -> None:
        while True:
            self._most_rss = max(self._most_rss, self._process.memory_info().rss)
            await asyncio.sleep(SAMPLE_S)

    def answer(self, line: str) -> Progress | Report:
        if line == "report":
            return self.report()
        match line:
            case "begin":
                self.begin()
            case "hold":
                self.model.may_answer.clear()
            case "release":
                self.model.may_answer.set()
            case _:
                pass
        return Progress(
            held=self.model.held, completed=self.store.completed, failed=self.store.failed
        )

    def report(self) -> Report:
        cpu_s = time.process_time() - self._cpu
        # Two more, for there may be none.
        overheads = [1000 * one for one in self.model.overheads_s] + [0.0, 0.0]
        hundredths = statistics.quantiles(overheads, n=100, method="inclusive")
        return Report(
            cpu_s=cpu_s,
            rss_mb=self._most_rss / 2**20,
            reads=self.store.reads - self._reads,
            events=self.store.events - self._events,
            steps=self.counts["steps"] - self._steps,
            overhead_p50_ms=hundredths[49],
            overhead_p95_ms=hundredths[94],
        )


@asynccontextmanager
async def serving(setup: Setup) -> AsyncIterator[Serving]:
    async with AsyncExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory(prefix="moot-bench-"))
        store = await CountedStore.open(Path(home) / "moot.db")
        stack.push_async_callback(store.close)
        model = Model(setup.latency_s)
        system = await stack.enter_async_context(
            open_dispatching(
                MootSettings(home=Path(home), tracing=False),
                store=store,
                models=ScriptedModels(model, max_concurrent=10_000),
            )
        )
        made = Serving(system, store, model)
        watching = asyncio.create_task(made.watch_memory())
        try:
            yield made
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)


async def main() -> None:
    setup = msgspec.json.decode(sys.argv[1], type=Setup)
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listening:
        async with serving(setup) as made:
            config = uvicorn.Config(
                made.app, log_level="warning", access_log=False, lifespan="off", proxy_headers=False
            )
            server = uvicorn.Server(config)
            running = asyncio.create_task(server.serve(sockets=[listening]))
            print(listening.getsockname()[1], flush=True)
            while line := await heard():
                print(msgspec.json.encode(made.answer(line)).decode(), flush=True)
            made.service.dismiss_viewers()
            server.should_exit = True
            await running


if __name__ == "__main__":
    asyncio.run(main())
