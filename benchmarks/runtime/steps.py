"""Durable steps on Postgres: Moot, LangGraph and DBOS, one worker process and four."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Protocol

import msgspec

from benchmarks.figure import Attempt, Figure, PeerFailed, figure
from benchmarks.runtime.postgres import Postgres, postgres, until_completed
from benchmarks.runtime.processes import ROOT, line_of, tell
from benchmarks.runtime.share import STEPS, Share, Used

PEERS = ("moot", "langgraph", "dbos")
WORKERS = (1, 4)
TARGET = 5.0
PATIENCE_S = 120


class Effort(Protocol):
    """How much of it."""

    @property
    def debates(self) -> int: ...

    @property
    def repeat(self) -> int: ...


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """One repetition."""

    cpu_s: float
    server_cpu_s: float
    wall_s: float


class Team:
    """The worker processes of one peer on one database."""

    def __init__(self, peer: str, url: str, processes: list[subprocess.Popen[str]]) -> None:
        self._peer = peer
        self._url = url
        self._processes = processes
        self._made = 0

    def join(self, *shares: Share) -> None:
        """Start workers, and wait until they are warm."""
        joining = [self._started(share) for share in shares]
        self._processes += joining
        self._wait_for(sum(share.warm_up for share in shares), joining)
        for process in joining:
            assert line_of(process) == "ready", self._peer

    def _started(self, share: Share) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", f"benchmarks.runtime.peers.{self._peer}"]
        return subprocess.Popen(
            [*command, msgspec.json.encode(share).decode()],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def repetition(self, debates: int) -> float:
        """All workers do their share; the CPU they used."""
        for process in self._processes:
            tell(process, "go")
        self._wait_for(debates * len(self._processes), self._processes)
        lines = [line_of(process) for process in self._processes]
        return sum(msgspec.json.decode(line, type=Used).cpu_s for line in lines)

    def _wait_for(self, debates: int, processes: list[subprocess.Popen[str]]) -> None:
        if self._peer != "moot":
            return  # they know by themselves
        for process in processes:
            assert line_of(process) == "made"
        self._made += debates
        asyncio.run(_until_completed(self._url, self._made))
        for process in processes:
            tell(process, "enough")


async def _until_completed(url: str, count: int) -> None:
    try:
        async with asyncio.timeout(PATIENCE_S):
            await until_completed(url, count)
    except TimeoutError:
        reason = f"moot: not all of {count} debates were completed within {PATIENCE_S} s"
        raise PeerFailed(reason) from None


@contextmanager
def team(peer: str, url: str) -> Iterator[Team]:
    with ExitStack() as stack:
        processes: list[subprocess.Popen[str]] = []
        try:
            yield Team(peer, url, processes)
        except PeerFailed:
            for process in processes:
                process.kill()
            raise
        finally:
            for process in processes:
                stack.enter_context(process)
                if process.stdin is not None:
                    process.stdin.close()


def cost(server: Postgres, peer: str, workers: int, effort: Effort) -> Cost:
    """The least of each, over all repetitions: other processes can only add."""
    name = f"{peer}_{workers}"
    url = server.new_database(name)
    each = effort.debates // workers
    with team(peer, url) as made:
        first, *others = (
            Share(url=url, worker=one, debates=each, warm_up=max(2, each // 4))
            for one in range(workers)
        )
        made.join(first)  # it makes the tables
        made.join(*others)
        found = []
        for _ in range(effort.repeat):
            server_cpu, wall = server.cpu_s(), time.perf_counter()
            cpu_s = made.repetition(each)
            wall = time.perf_counter() - wall
            found.append(Cost(cpu_s=cpu_s, server_cpu_s=server.cpu_s() - server_cpu, wall_s=wall))
    server.drop(name)
    return Cost(
        cpu_s=min(one.cpu_s for one in found),
        server_cpu_s=min(one.server_cpu_s for one in found),
        wall_s=min(one.wall_s for one in found),
    )


def section(effort: Effort) -> Iterator[Figure]:
    with postgres() as server:
        for workers in WORKERS:
            steps = effort.debates // workers * workers * STEPS
            found = {}
            for peer in PEERS:
                found[peer] = Attempt(partial(cost, server, peer, workers, effort))
                what = f"{peer}, {workers} worker{'s' if workers > 1 else ''}"
                yield from _of_peer(what, found[peer], steps)
                if peer != PEERS[0]:
                    ratio = partial(_ratio, found[peer], found[PEERS[0]])
                    name = f"steps per CPU second, moot over {what}"
                    yield figure(name, ratio, least=TARGET)


def _of_peer(what: str, found: Attempt[Cost], steps: int) -> Iterator[Figure]:
    yield figure(f"{what}: CPU per step", lambda: 1000 * found.result.cpu_s / steps, "ms")
    yield figure(f"{what}: steps per CPU second", lambda: steps / found.result.cpu_s, "/s")
    yield figure(f"{what}: steps per second", lambda: steps / found.result.wall_s, "/s")
    name = f"{what}: CPU of Postgres per step"
    yield figure(name, lambda: 1000 * found.result.server_cpu_s / steps, "ms")


def _ratio(found: Attempt[Cost], own: Attempt[Cost]) -> float:
    return found.result.cpu_s / own.result.cpu_s
