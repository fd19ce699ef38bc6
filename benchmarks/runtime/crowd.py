"""One server: a thousand debates that set out together, and a thousand viewers."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import aiohttp
import msgspec

from benchmarks.runtime.figures import Figure
from benchmarks.runtime.processes import ROOT, line_of, tell
from benchmarks.runtime.server import Progress, Report, Setup
from benchmarks.runtime.viewers import Seen, Watch

QUICK_S, AS_MODELS_ARE_S, WATCHED_S = 0.05, 2.0, 1.0
"""Latencies of the model."""
MANY = 10
"""Rounds of a debate with a quick model."""
LOOK_EVERY_S = 0.2
PATIENCE_S = 120
REQUESTS_AT_ONCE = 20
MOST_DELAY_MS = 500.0


class Effort(Protocol):
    """How much of it."""

    @property
    def crowd(self) -> int: ...

    @property
    def spread(self) -> int: ...

    @property
    def rounds(self) -> int: ...


class Server:
    """A server process, spoken to by HTTP and asked what it has used."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.port = int(line_of(process))

    def report(self) -> Report:
        """What was used since `begin` was told."""
        return msgspec.json.decode(self._said("report"), type=Report)

    def tell(self, word: str) -> Progress:
        return msgspec.json.decode(self._said(word), type=Progress)

    def _said(self, word: str) -> str:
        tell(self._process, word)
        return line_of(self._process)

    def create(self, count: int, *, rounds: int, start: bool) -> list[str]:
        settings = {"max_rounds": rounds, "max_total_output_tokens": None}
        body = {"format": "rounds", "topic": "Is it so?", "settings": settings, "start": start}
        made = asyncio.run(_posted(self.port, [("", body)] * count))
        return [one["id"] for one in made]

    def start(self, debate_ids: list[str]) -> None:
        asyncio.run(_posted(self.port, [(f"/{one}/start", {}) for one in debate_ids]))

    def wait_for(self, *, held: int = 0, completed: int = 0) -> None:
        """Return once so many debates are there."""
        deadline = time.monotonic() + PATIENCE_S
        while (found := self.tell("look")).completed < completed or found.held < held:
            assert not found.failed
            assert time.monotonic() < deadline, found
            time.sleep(LOOK_EVERY_S)


async def _posted(port: int, requests: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    some = asyncio.Semaphore(REQUESTS_AT_ONCE)
    async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as session:

        async def post(path: str, body: dict[str, Any]) -> dict[str, Any]:
            async with some, session.post(f"/api/debates{path}", json=body) as response:
                assert response.status < 300, await response.text()
                found: dict[str, Any] = await response.json()
                return found

        return await asyncio.gather(*(post(path, body) for path, body in requests))


@contextmanager
def server(latency_s: float) -> Iterator[Server]:
    command = [sys.executable, "-m", "benchmarks.runtime.server"]
    setup = msgspec.json.encode(Setup(latency_s=latency_s)).decode()
    with subprocess.Popen(
        [*command, setup], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Server(process)
        assert process.stdin is not None
        process.stdin.close()


# --- debates -------------------------------------------------------------------------------------


def debates(effort: Effort) -> Iterator[Figure]:
    for latency_s, rounds in ((QUICK_S, MANY), (AS_MODELS_ARE_S, effort.rounds)):
        steps = 2 * rounds + 1
        with server(latency_s) as serving:
            serving.tell("begin")
            idle_mb = serving.report().rss_mb
            serving.tell("hold")
            serving.create(effort.crowd, rounds=rounds, start=True)
            serving.wait_for(held=effort.crowd)
            serving.tell("begin")
            started = time.perf_counter()
            serving.tell("release")
            serving.wait_for(completed=effort.crowd)
            wall_s = time.perf_counter() - started
            found = serving.report()
        assert found.steps == effort.crowd * steps, found
        what = f"{effort.crowd} debates of {steps} steps at {1000 * latency_s:.0f} ms"
        yield Figure(f"{what}: all completed", 1.0, "", least=1)
        yield Figure(f"{what}: wall", wall_s, "s")
        yield Figure(f"{what}: wall, of the model's own", wall_s / (steps * latency_s), "")
        yield Figure(f"{what}: CPU per step", 1000 * found.cpu_s / found.steps, "ms")
        yield Figure(f"{what}: part of a core", found.cpu_s / wall_s, "")
        yield Figure(f"{what}: added to a step, p50", found.overhead_p50_ms, "ms")
        yield Figure(f"{what}: added to a step, p95", found.overhead_p95_ms, "ms")
        yield Figure(f"{what}: memory at its most", found.rss_mb, "MB")
        each_kb = 1024 * (found.rss_mb - idle_mb) / effort.crowd
        yield Figure(f"{what}: memory per debate", each_kb, "kB")


# --- viewers -------------------------------------------------------------------------------------


class Watched(msgspec.Struct, frozen=True):
    """What the viewers saw, and what the server used, while the debates ran."""

    seen: Seen
    used: Report
    wall_s: float


def watched(viewers: int, among: int, rounds: int) -> Watched:
    with server(WATCHED_S) as serving:
        ids = serving.create(among, rounds=rounds, start=False)
        watch = Watch(port=serving.port, debates=ids, viewers=viewers)
        command = [sys.executable, "-m", "benchmarks.runtime.viewers"]
        with subprocess.Popen(
            [*command, msgspec.json.encode(watch).decode()],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        ) as watching:
            assert line_of(watching) == "connected"
            serving.tell("begin")
            started = time.perf_counter()
            serving.start(ids)
            serving.wait_for(completed=among)
            wall_s = time.perf_counter() - started
            seen = msgspec.json.decode(line_of(watching), type=Seen)
            return Watched(seen, serving.report(), wall_s)


def viewers(effort: Effort) -> Iterator[Figure]:
    reads: dict[int, float] = {}
    crowd, spread = effort.crowd, effort.spread
    for number, among in ((1, 1), (crowd, 1), (spread, spread), (crowd, spread)):
        found = watched(number, among, effort.rounds)
        seen, used = found.seen, found.used
        what = f"{number} viewers on {among} debates"
        yield Figure(f"{what}: events missed or twice", float(seen.gaps), "", most=0)
        yield Figure(f"{what}: deliveries a second", seen.deliveries / found.wall_s, "/s")
        yield Figure(f"{what}: delay, p50", seen.p50_ms, "ms")
        yield Figure(f"{what}: delay, p99", seen.p99_ms, "ms", most=MOST_DELAY_MS)
        yield Figure(f"{what}: delay, most", seen.most_ms, "ms")
        yield Figure(f"{what}: part of a core, server", used.cpu_s / found.wall_s, "")
        yield Figure(f"{what}: part of a core, viewers", seen.cpu_s / found.wall_s, "")
        per_event = used.reads / used.events
        yield Figure(f"{what}: reads of the store per event", per_event, "")
        if among in reads:
            name = f"{what}: more reads per event than with {among} viewers"
            yield Figure(name, per_event - reads[among], "", most=0.1)
        reads[among] = per_event
