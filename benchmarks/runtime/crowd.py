"""One server: a thousand debates that set out together, and a thousand viewers."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Protocol, TypeVar

import aiohttp
import msgspec

from benchmarks.figure import Attempt, Figure, PeerFailed, figure
from benchmarks.runtime.processes import ROOT, line_of, tell
from benchmarks.runtime.server import Progress, Report, Setup, Wanted
from benchmarks.runtime.viewers import Seen, Watch

QUICK_S, AS_MODELS_ARE_S, WATCHED_S = 0.05, 2.0, 1.0
"""Latencies of the model."""
MANY = 10
"""Rounds of a debate with a quick model."""
LOOK_EVERY_S = 0.2
PATIENCE_S = 120
REQUESTS_AT_ONCE = 20
MOST_DELAY_MS = 500.0
MORE_READS = 2
"""Reads of the store, per debate, that a thousand viewers may cost beyond what one costs."""

T = TypeVar("T")


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
        wanted = msgspec.json.encode(Wanted(count=count, rounds=rounds, start=start)).decode()
        return msgspec.json.decode(self._said(f"create {wanted}"), type=list[str])

    def start(self, debate_ids: list[str]) -> None:
        asyncio.run(_posted(self.port, [f"/{one}/start" for one in debate_ids]))

    def wait_for(self, *, held: int = 0, completed: int = 0) -> None:
        """Return once so many debates are held, and so many completed."""
        deadline = time.monotonic() + PATIENCE_S
        while (found := self.tell("look")).completed < completed or found.held < held:
            if found.failed or time.monotonic() > deadline:
                reason = f"moot: not all debates came so far: {found}"
                raise PeerFailed(reason)
            time.sleep(LOOK_EVERY_S)


async def _posted(port: int, paths: list[str]) -> None:
    some = asyncio.Semaphore(REQUESTS_AT_ONCE)
    async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as session:

        async def post(path: str) -> None:
            async with some, session.post(f"/api/debates{path}", json={}) as response:
                if response.status >= 300:
                    reason = f"moot: {response.status} for {path}: {await response.text()}"
                    raise PeerFailed(reason)

        await asyncio.gather(*map(post, paths))


@contextmanager
def server(latency_s: float) -> Iterator[Server]:
    command = [sys.executable, "-m", "benchmarks.runtime.server"]
    setup = msgspec.json.encode(Setup(latency_s=latency_s)).decode()
    with subprocess.Popen(
        [*command, setup], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Server(process)
        except PeerFailed:
            process.kill()
            raise
        assert process.stdin is not None
        process.stdin.close()


# --- debates -------------------------------------------------------------------------------------


class Ran(msgspec.Struct, frozen=True):
    """What a crowd of debates used."""

    used: Report
    idle_mb: float
    wall_s: float


def ran(count: int, rounds: int, latency_s: float) -> Ran:
    with server(latency_s) as serving:
        serving.tell("begin")
        idle_mb = serving.report().rss_mb
        serving.tell("hold")
        serving.create(count, rounds=rounds, start=True)
        serving.wait_for(held=count)
        serving.tell("begin")
        started = time.perf_counter()
        serving.tell("release")
        serving.wait_for(completed=count)
        wall_s = time.perf_counter() - started
        found = Ran(serving.report(), idle_mb, wall_s)
    if found.used.steps != count * (2 * rounds + 1):
        reason = f"moot: {count} debates made {found.used.steps} calls"
        raise PeerFailed(reason)
    return found


def debates(effort: Effort) -> Iterator[Figure]:
    for latency_s, rounds in ((QUICK_S, MANY), (AS_MODELS_ARE_S, effort.rounds)):
        found = Attempt(partial(ran, effort.crowd, rounds, latency_s))
        what = f"{effort.crowd} debates of {2 * rounds + 1} steps at {1000 * latency_s:.0f} ms"
        model_s = (2 * rounds + 1) * latency_s
        yield from _of_debates(what, found, model_s, effort.crowd)


def _of_debates(what: str, found: Attempt[Ran], model_s: float, count: int) -> Iterator[Figure]:
    rows: dict[str, tuple[Callable[[Ran], float], str]] = {
        "wall": (lambda one: one.wall_s, "s"),
        "wall, of the model's own": (lambda one: one.wall_s / model_s, ""),
        "CPU per step": (lambda one: 1000 * one.used.cpu_s / one.used.steps, "ms"),
        "part of a core": (lambda one: one.used.cpu_s / one.wall_s, ""),
        "added to a step, p50": (lambda one: one.used.overhead_p50_ms, "ms"),
        "added to a step, p95": (lambda one: one.used.overhead_p95_ms, "ms"),
        "memory at its most": (lambda one: one.used.rss_mb, "MB"),
        "memory per debate": (lambda one: 1024 * (one.used.rss_mb - one.idle_mb) / count, "kB"),
    }
    for name, (value, unit) in rows.items():
        yield figure(f"{what}: {name}", partial(_of, found, value), unit)


def _of(found: Attempt[T], value: Callable[[T], float]) -> float:
    return value(found.result)


# --- viewers -------------------------------------------------------------------------------------


class Watched(msgspec.Struct, frozen=True):
    """What the viewers saw, and what the server used, while the debates ran."""

    seen: Seen
    used: Report
    wall_s: float
    debates: int


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
            return Watched(seen, serving.report(), wall_s, among)


def viewers(effort: Effort) -> Iterator[Figure]:
    crowd, spread = effort.crowd, effort.spread
    before: dict[int, Attempt[Watched]] = {}
    for number, among in ((1, 1), (crowd, 1), (spread, spread), (crowd, spread)):
        found = Attempt(partial(watched, number, among, effort.rounds))
        what = f"{number} viewers on {among} debates"
        yield from _of_viewers(what, found)
        if fewer := before.get(among):
            more = partial(_more_reads, found, fewer)
            name = f"{what}: more reads per debate than with {among} viewers"
            yield figure(name, more, most=MORE_READS)
        before[among] = found


def _of_viewers(what: str, found: Attempt[Watched]) -> Iterator[Figure]:
    rows: dict[str, tuple[Callable[[Watched], float], str, float | None]] = {
        "events missed or twice": (lambda one: float(one.seen.gaps), "", 0),
        "deliveries a second": (lambda one: one.seen.deliveries / one.wall_s, "/s", None),
        "delay, p50": (lambda one: one.seen.p50_ms, "ms", None),
        "delay, p99": (lambda one: one.seen.p99_ms, "ms", MOST_DELAY_MS),
        "delay, most": (lambda one: one.seen.most_ms, "ms", None),
        "part of a core, server": (lambda one: one.used.cpu_s / one.wall_s, "", None),
        "part of a core, viewers": (lambda one: one.seen.cpu_s / one.wall_s, "", None),
        "reads of the store per debate": (_reads, "", None),
    }
    for name, (value, unit, most) in rows.items():
        yield figure(f"{what}: {name}", partial(_of, found, value), unit, most=most)


def _reads(found: Watched) -> float:
    return found.used.reads / found.debates


def _more_reads(found: Attempt[Watched], fewer: Attempt[Watched]) -> float:
    return _reads(found.result) - _reads(fewer.result)
