"""A database that cannot be written in the middle of a debate: locked, read-only.

The full disk is in `test_damage`, Postgres in `test_workers`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.faults.holding import ROSTER

from moot.engine.clock import SystemClock
from moot.engine.creation import NewDebate
from moot.models.port import ChatRequest
from moot.protocol.words import Status
from moot.settings import load_settings
from moot.store.backends.sqlite import connection as sqlite_connection
from moot.store.backends.sqlite.store import SqliteStore
from moot.store.sqlite_driver import sqlite3
from moot.testing.oracles import check_book, check_integrity, read_book
from moot.testing.scripted import ScriptedModel, ScriptedModels, sensible
from moot.wiring import open_system

pytestmark = pytest.mark.faults

Switches = tuple[Callable[[], object], Callable[[], object]]
PAUSES = 4
CALLS = 30
"""Of a duel of six statements."""


class Outage:
    """Begins in the middle of a call and ends when the debate has paused often enough.

    `switches` begin and end it; they are known only once the store is open.
    """

    def __init__(self, *, at: int) -> None:
        self.switches: Switches
        self.model = ScriptedModel(self._say)
        self.clock = OutageClock(self)
        self.calls_at_begin = self.calls_at_end = 0
        self._at = at

    def _say(self, request: ChatRequest) -> str:
        if len(self.model.requests) >= self._at and not self.calls_at_begin:
            self.calls_at_begin = len(self.model.requests)
            self.switches[0]()
        return sensible(request)

    def end(self) -> None:
        self.calls_at_end = len(self.model.requests)
        self.switches[1]()


class OutageClock(SystemClock):
    """Pauses take no time."""

    def __init__(self, outage: Outage) -> None:
        self.pauses: list[float] = []
        self._outage = outage

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        if len(self.pauses) == PAUSES:
            self._outage.end()


def locked(path: Path) -> Switches:
    """Another process has the file for itself."""
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)

    def end() -> None:
        other.execute("ROLLBACK")
        other.close()

    return lambda: other.execute("BEGIN EXCLUSIVE"), end


def read_only(store: SqliteStore) -> Switches:
    """Every connection that writes is refused; permissions would not stop root."""
    session: Any = store._writer._perform.__self__  # type: ignore[attr-defined]
    connected = session._connected

    def refused() -> sqlite3.Connection:
        connection: sqlite3.Connection = connected()
        connection.execute("PRAGMA query_only = ON")
        return connection

    def begin() -> None:
        session._connected = refused

    def end() -> None:
        session._connected = connected

    return begin, end


@pytest.mark.parametrize("kind", ["locked", "read-only"])
@pytest.mark.parametrize("at", [1, 9])
async def test_pauses_buys_nothing_and_goes_on_by_itself(
    kind: str,
    at: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(sqlite_connection, "BUSY_TIMEOUT_S", 0.02)
    caplog.set_level(logging.WARNING, "moot")
    outage = Outage(at=at)
    settings = load_settings(home=tmp_path / "home")
    models = ScriptedModels(outage.model)
    async with open_system(settings, models=models, clock=outage.clock) as system:
        assert isinstance(system.store, SqliteStore)
        is_locked = kind == "locked"
        outage.switches = locked(settings.database_path) if is_locked else read_only(system.store)
        new = NewDebate(topic="Away: is it so?", settings={"turns": 6}, participants=ROSTER)
        debate = await system.service.create(new)
        state = await system.service.run(debate)
        assert state.status is Status.COMPLETED
        assert len(outage.clock.pauses) >= PAUSES, "the database was never away"
        assert outage.calls_at_begin
        assert outage.calls_at_end == outage.calls_at_begin, "bought while nothing could be stored"
        assert len(outage.model.requests) == CALLS
        check_book(await read_book(system.store, debate))
    assert "store unavailable" in caplog.messages
    check_integrity(settings.database_path)
