"""Rows that are wrong, disks that are full: repaired or waited for, never paid for twice."""

from __future__ import annotations

import asyncio
import threading
from contextlib import closing
from pathlib import Path

import pytest
from tests.faults.holding import DONE, ROSTER, Child, Place, books, calls_reach, create

from moot.engine.clock import SystemClock
from moot.engine.creation import NewDebate
from moot.protocol.words import Status
from moot.settings import load_settings
from moot.store.backends.sqlite.store import SqliteStore
from moot.store.sqlite_driver import sqlite3
from moot.testing.oracles import (
    Book,
    check_book,
    check_cursor,
    check_integrity,
    check_spending,
    read_book,
)
from moot.testing.scripted import ScriptedModel, ScriptedModels
from moot.testing.server import ScriptedServer
from moot.testing.server_wire import ChatCall
from moot.wiring import open_system

pytestmark = pytest.mark.faults

WRONG = {
    "null": "stage = NULL, next_round = NULL, next_actor = NULL",
    "behind": "stage = 'planning', next_round = 1, next_actor = 'bob', turns = 0, calls = 0",
    "ahead": "stage = 'verdict', next_round = 7, next_actor = 'jo', turns = 99",
    "row behind": "seq = 2, status = 'created'",
    "row ahead": "seq = seq + 5",
    "row over": "seq = 999, status = 'completed'",
}


@pytest.mark.parametrize("wrong", WRONG)
async def test_repairs_the_row_before_the_first_call(wrong: str, tmp_path: Path) -> None:
    seen: list[Book] = []
    path = tmp_path / "home" / "moot.db"

    def look(_call: ChatCall) -> None:
        if seen_calls and len(seen) < 1 and len(server.calls) > seen_calls[0]:
            seen.append(_row(path, debates[0]))

    seen_calls: list[int] = []
    async with ScriptedServer(latency_s=0.01, script=look) as server:
        place = Place(home=str(tmp_path / "home"), base_url=server.base_url)
        debates = await create(place, "Damaged: is it so?", turns=2)
        first = Child(place, debates)
        await calls_reach(server, 5, first)
        assert first.kill()
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(f"UPDATE debates SET {WRONG[wrong]}")  # noqa: S608 - from the table above
        seen_calls.append(len(server.calls))
        assert await Child(place, debates).ended() == DONE
        (row_then,) = seen
        check_cursor(row_then)
        found = await books(place, debates)
        check_book(found[0])
        check_spending(server.calls, found, kills=1, in_flight=2)


def _row(path: Path, debate_id: str) -> Book:
    """Log and row as another process sees them in the middle of a call."""
    found: list[Book] = []

    async def read() -> None:
        store = await SqliteStore.open(path)
        try:
            found.append(await read_book(store, debate_id))
        finally:
            await store.close()

    # The server's own event loop is running: another one, in a thread of its own.
    reader = threading.Thread(target=lambda: asyncio.run(read()))
    reader.start()
    reader.join()
    return found[0]


class Janitor(SystemClock):
    """Makes room on the disk once the debate has paused often enough."""

    def __init__(self, store: list[SqliteStore], pauses: int) -> None:
        self.store = store
        self.pauses_left = pauses
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.pauses_left -= 1
        if self.pauses_left == 0:
            await _on_writer(self.store[0], "PRAGMA max_page_count = 1000000")


async def _on_writer(store: SqliteStore, statement: str) -> int:
    done: list[int] = []

    def run(connection: sqlite3.Connection) -> None:
        connection.execute("COMMIT")
        done.append(connection.execute(statement).fetchone()[0])
        connection.execute("BEGIN IMMEDIATE")

    await store._writer.submit(run)
    return done[0]


async def test_pauses_on_a_full_disk_and_goes_on_without_buying_again(tmp_path: Path) -> None:
    held: list[SqliteStore] = []
    clock = Janitor(held, pauses=3)
    model = ScriptedModel()
    settings = load_settings(home=tmp_path / "home")
    async with open_system(settings, models=ScriptedModels(model), clock=clock) as system:
        assert isinstance(system.store, SqliteStore)
        held.append(system.store)
        new = NewDebate(topic="Full: is it so?", settings={"turns": 6}, participants=ROSTER)
        debate = await system.service.create(new)
        await system.service.command(debate, "start")
        pages = await _on_writer(system.store, "PRAGMA page_count")
        # Room for a little more, so that the disk fills up in the middle of the debate.
        await _on_writer(system.store, f"PRAGMA max_page_count = {pages + 3}")
        state = await system.service.run(debate)
        assert state.status is Status.COMPLETED
        assert clock.slept == [0.1, 0.5, 1.0], "the disk was never full"
        assert len(model.requests) == 30
        check_book(await read_book(system.store, debate))
    check_integrity(tmp_path / "home" / "moot.db")
