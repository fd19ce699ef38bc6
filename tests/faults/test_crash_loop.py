"""A debate that kills its process each time, on SQLite: it fails after five, others are completed.

With Postgres and four workers: `test_workers`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.faults.holding import (
    ROSTER,
    Place,
    _context,
    books,
    undisturbed,
)
from tests.faults.poison import LATE_POISON, POISON, deaths_until_failed, over, swallow

from moot.engine.creation import NewDebate
from moot.engine.quarantine import MOST_DEATHS
from moot.protocol.words import Status
from moot.settings import load_settings
from moot.testing.oracles import check_book, transcript_hash
from moot.testing.server import ScriptedServer
from moot.wiring import System, open_server, open_system

pytestmark = pytest.mark.faults

INNOCENT = tuple(f"Innocent {number}: is it so?" for number in range(6))


def serve(place: Place) -> None:
    """All of `moot serve` but the socket."""
    asyncio.run(_serve(place))


async def _serve(place: Place) -> None:
    os.environ.update(place.environment())
    swallow()
    async with open_server(load_settings(home=place.home), host="127.0.0.1"):
        await asyncio.Event().wait()


class Server:
    """One process after another."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.replace()

    @property
    def is_alive(self) -> bool:
        return self._process.is_alive()

    def replace(self) -> None:
        self._process = _context().Process(target=serve, args=(self._place,), daemon=True)
        self._process.start()

    def kill(self) -> None:
        self._process.kill()
        self._process.join()


@asynccontextmanager
async def served(place: Place, *, servers: int) -> AsyncIterator[tuple[System, list[Server]]]:
    os.environ.update(place.environment())
    async with open_system(load_settings(home=place.home), has_worker=False) as system:
        slots = [Server(place) for _ in range(servers)]
        try:
            yield system, slots
        finally:
            for slot in slots:
                slot.kill()


@pytest.mark.parametrize(("topic", "servers"), [(POISON, 1), (LATE_POISON, 2)])
async def test_a_debate_that_kills_its_process_fails_after_five_and_hurts_no_other(
    tmp_path: Path, topic: str, servers: int
) -> None:
    expected = [transcript_hash(one.records) for one in await undisturbed(tmp_path, *INNOCENT)]
    async with ScriptedServer(latency_s=0.2) as provider:
        place = Place(home=str(tmp_path / "home"), base_url=provider.base_url)
        async with served(place, servers=servers) as (system, slots):
            poison, *innocent = [
                await system.service.create(
                    NewDebate(topic=each, settings={"turns": 4}, participants=ROSTER), start=True
                )
                for each in (topic, *INNOCENT)
            ]
            assert await deaths_until_failed(system.store, slots, poison) == MOST_DEATHS
            # A person may want it tried again, and it is, as often as before.
            await system.service.command(poison, "retry")
            assert await deaths_until_failed(system.store, slots, poison) == MOST_DEATHS
            await over(system.store, innocent)
            assert all(slot.is_alive for slot in slots)
        (dead, *alive) = await books(place, [poison, *innocent])
    check_book(dead, status=Status.FAILED)
    assert dead.state.failure is not None
    assert dead.state.failure.code == "crash_loop"
    for book, transcript in zip(alive, expected, strict=True):
        check_book(book, transcript=transcript)
        assert "DebateFailed" not in {type(one.event).__name__ for one in book.records}
