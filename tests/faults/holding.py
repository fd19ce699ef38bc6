"""Debates held in processes that can be killed: what runs in the child, and the hand that kills.

Children are forked from a server that has everything imported, so that a life costs milliseconds.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import multiprocessing
import os
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from multiprocessing.context import ForkServerContext, ForkServerProcess
from multiprocessing.synchronize import Event as SharedEvent
from pathlib import Path
from typing import Any

import msgspec

from moot.engine.clock import SystemClock
from moot.engine.creation import NewDebate
from moot.engine.service import Service
from moot.errors import Busy
from moot.protocol.values import Participant
from moot.protocol.words import Role
from moot.settings import load_settings
from moot.store.port import Store
from moot.testing.oracles import CANARY_KEY, Book, read_book
from moot.testing.server import ScriptedServer
from moot.wiring import open_system

DONE, BUSY, KILLED = 0, 6, -signal.SIGKILL
MODEL = "openai:gpt-4.1-mini"
"""One that is known, so that first calls begin at once (`moot.models.learning`)."""
ROSTER = (
    Participant(id="ada", name="Ada", role=Role.DEBATER, personality="You are Ada.", model=MODEL),
    Participant(id="bob", name="Bob", role=Role.DEBATER, personality="You are Bob.", model=MODEL),
    Participant(id="jo", name="Jo", role=Role.JUDGE, personality="You are Jo.", model=MODEL),
)
PATIENCE_S = 60


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where debates are kept, and who answers. `wants_text` makes the calls stream."""

    home: str
    base_url: str
    database_url: str = ""
    ttl_s: float = 15.0
    wants_text: bool = False
    failpoint: str = ""
    log_path: str = ""
    clock_jumps_s: tuple[float, ...] = ()

    def environment(self) -> dict[str, str]:
        return {"OPENAI_BASE_URL": self.base_url, "OPENAI_API_KEY": CANARY_KEY}

    def changed(self, **changes: Any) -> Place:
        return msgspec.structs.replace(self, **changes)


# --- in the child --------------------------------------------------------------------------------


class JumpingClock(SystemClock):
    """The system's, but wrong by another amount each time it is looked at."""

    def __init__(self, jumps_s: Sequence[float]) -> None:
        self._jumps_s = itertools.cycle(jumps_s or (0.0,))

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=next(self._jumps_s))


@asynccontextmanager
async def open_service(place: Place) -> AsyncIterator[Service]:
    """What ships, with leases as short as the test wants them."""
    os.environ.update(place.environment())
    settings = load_settings(home=place.home, database_url=place.database_url)
    clock = JumpingClock(place.clock_jumps_s)
    async with open_system(settings, clock=clock, ttl_s=place.ttl_s) as system:
        yield system.service


def hold(place: Place, debates: Sequence[str], go: SharedEvent | None = None) -> None:
    """The child's whole life: run these debates to their end. Exits with DONE or BUSY."""
    if place.log_path:
        logging.basicConfig(filename=place.log_path, level=logging.DEBUG)
    if place.failpoint:
        _arm(place.failpoint)
    if go is not None:
        go.wait()
    raise SystemExit(asyncio.run(_hold(place, debates)))


def _arm(failpoint: str) -> None:
    from moot.engine import failpoints  # noqa: PLC0415

    # The variable is read when the module is imported, which the fork server has done already.
    name, _, number = failpoint.partition(":")
    failpoints._armed, failpoints._left = name, int(number)


async def _hold(place: Place, debates: Sequence[str]) -> int:
    async with open_service(place) as service:
        ran = await asyncio.gather(
            *(_play(service, debate, wants_text=place.wants_text) for debate in debates)
        )
    return DONE if all(ran) else BUSY


async def _play(service: Service, debate: str, *, wants_text: bool) -> bool:
    try:
        async for _ in service.play(debate, text=wants_text):
            pass
    except Busy:
        return False
    return True


# --- the hand ------------------------------------------------------------------------------------


# A list of names, because a module that can't be imported there is passed over in silence.
PRELOADED = (
    "genai_prices",
    "genai_prices.data",
    "genai_prices.data_snapshot",
    "genai_prices.data_units",
    "moot.wiring",
    "moot.api",
    "moot.settings",
    "moot.testing.oracles",
    "moot.testing.server",
    "moot.store.backends.postgres.store",
    "moot.store.backends.sqlite.store",
    "moot.models.backends.openai_compatible.adapter",
    "moot.models.backends.embedded",
    "moot.models.backends.pydantic_ai",
    "moot.queue.backends.pgqueuer",
    "tests.faults.test_crash_loop",
    "tests.faults.test_store_sqlite",
    "tests.faults.test_workers",
)
"""With the modules that children are told to run, since a child imports those as well."""


def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*PRELOADED, __name__])
    return context


class Child:
    """One life of a process that holds debates."""

    def __init__(self, place: Place, debates: Sequence[str], go: SharedEvent | None = None) -> None:
        self._process: ForkServerProcess = _context().Process(
            target=hold, args=(place, list(debates), go), daemon=True
        )
        self._process.start()

    @property
    def is_alive(self) -> bool:
        return self._process.is_alive()

    def signal(self, number: signal.Signals) -> None:
        assert self._process.pid is not None
        os.kill(self._process.pid, number)

    def kill(self) -> bool:
        """Whether it was still alive to be killed."""
        with suppress(ProcessLookupError):
            self.signal(signal.SIGKILL)
        self._process.join()
        return self._process.exitcode == KILLED

    async def ended(self) -> int:
        await asyncio.to_thread(self._process.join, PATIENCE_S)
        code = self._process.exitcode
        if code is None:
            self.kill()
            raise AssertionError("the child hangs")
        return code


def barrier() -> SharedEvent:
    """What several children wait for, so that they begin at once."""
    return _context().Event()


async def calls_reach(server: ScriptedServer, count: int, child: Child) -> None:
    """Return when the server has seen so many calls, or the child has ended."""
    async with asyncio.timeout(PATIENCE_S):
        # Two processes: there is no event to wait for.
        while len(server.calls) < count and child.is_alive:  # noqa: ASYNC110
            await asyncio.sleep(0.001)


async def create(place: Place, *topics: str, turns: int = 4, has_judge: bool = True) -> list[str]:
    """New debates, one for each topic."""
    roster = ROSTER if has_judge else ROSTER[:2]
    async with _system(place) as (service, _):
        return [
            await service.create(
                NewDebate(topic=topic, settings={"turns": turns}, participants=roster)
            )
            for topic in topics
        ]


async def books(place: Place, debates: Sequence[str]) -> list[Book]:
    async with _system(place) as (_, store):
        return [await read_book(store, debate) for debate in debates]


@asynccontextmanager
async def _system(place: Place) -> AsyncIterator[tuple[Service, Store]]:
    os.environ.update(place.environment())
    settings = load_settings(home=place.home, database_url=place.database_url)
    async with open_system(settings, has_worker=False) as system:
        yield system.service, system.store


async def undisturbed(home: Path, *topics: str, turns: int = 4) -> list[Book]:
    """The same debates, run to their end in this process with nothing going wrong."""
    async with ScriptedServer() as server:
        place = Place(home=str(home / "undisturbed"), base_url=server.base_url)
        debates = await create(place, *topics, turns=turns)
        async with open_service(place) as service:
            await asyncio.gather(*(service.run(debate) for debate in debates))
        return await books(place, debates)
