"""What a worker process of any peer is told to do, and how it says what it used.

The parent writes a line, the worker answers with one: `ready` once it is warm, `go` for one
repetition. What a step does is the same for all, and next to nothing, so that only the runtime
around it is measured.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import Awaitable, Callable

import msgspec

ROUNDS = 10
STEPS = 2 * ROUNDS + 1
"""Two debaters in every round, and a judge."""
REPLY = " ".join(["evidence", "because", "however", "fair", "question"] * 8)
CONNECTIONS = 8
"""To Postgres, at most, by one worker process of any peer."""

Run = Callable[[int], Awaitable[None]]
"""Makes so many debates from nothing to their end, all at once."""


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """One worker process's part."""

    url: str
    worker: int
    debates: int
    warm_up: int


class Used(msgspec.Struct, frozen=True, kw_only=True):
    """CPU of one worker process in one repetition, all threads, user and system."""

    cpu_s: float


async def answer() -> str:
    """The step itself: a model that needs no time. Other tasks get their turn all the same."""
    await asyncio.sleep(0)
    return REPLY


def share_from_arguments() -> Share:
    return msgspec.json.decode(sys.argv[1], type=Share)


async def heard() -> str:
    """The parent's next line; empty when there are no more."""
    line: str = await asyncio.to_thread(sys.stdin.readline)
    return line.strip()


async def serve(share: Share, run: Run) -> None:
    """Do the share as often as the parent says go."""
    await run(share.warm_up)
    print("ready", flush=True)
    while await heard() == "go":
        gc.collect()
        before = time.process_time()
        await run(share.debates)
        print(msgspec.json.encode(Used(cpu_s=time.process_time() - before)).decode(), flush=True)
