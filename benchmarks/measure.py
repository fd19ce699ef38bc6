"""What one process uses: CPU, wall time, memory. Printed as one line of JSON for the parent."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import msgspec
import psutil

from benchmarks.duel import CALLS

RunDuel = Callable[[], Awaitable[None]]


class Job(msgspec.Struct, kw_only=True):
    """What a peer is to do: `repeat` times `at_once` duels, after one that does not count."""

    url: str
    at_once: int = 1
    repeat: int = 1
    is_streamed: bool = False
    kind: str = "duels"
    size: int = 0
    is_shared: bool = False


class Used(msgspec.Struct, kw_only=True):
    """One repetition. CPU is of this process, all threads, user and system."""

    cpu_ms_per_call: float
    wall_s: float
    rss_kb_per_duel: float = 0.0


@contextmanager
def peak_rss() -> Iterator[Callable[[], int]]:
    """How many bytes the process has grown by at the most, sampled while inside."""
    process = psutil.Process(os.getpid())
    gc.collect()
    before = peak = process.memory_info().rss
    is_over = False

    async def sample() -> None:
        nonlocal peak
        while not is_over:
            peak = max(peak, process.memory_info().rss)
            await asyncio.sleep(0.25)

    sampling = asyncio.get_running_loop().create_task(sample())
    try:
        yield lambda: max(peak, process.memory_info().rss) - before
    finally:
        is_over = True
        sampling.cancel()


async def duels(job: Job, run_duel: RunDuel) -> list[Used]:
    await run_duel()
    found = []
    for _ in range(job.repeat):
        with peak_rss() as grown:
            cpu, wall = time.process_time(), time.perf_counter()
            await asyncio.gather(*(run_duel() for _ in range(job.at_once)))
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            rss = grown()
        found.append(
            Used(
                cpu_ms_per_call=1000 * cpu / (CALLS * job.at_once),
                wall_s=wall,
                rss_kb_per_duel=rss / 1024 / job.at_once,
            )
        )
    return found


def job_from_arguments() -> Job:
    return msgspec.json.decode(sys.argv[1], type=Job)


def tell(found: object) -> None:
    print(msgspec.json.encode(found).decode())
