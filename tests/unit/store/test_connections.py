"""No exception of a driver gets out, and no build of SQLite gets a journal that it may damage."""

from __future__ import annotations

from pathlib import Path

import asyncpg
import pytest

from moot.errors import Conflict, DiskFull, InvalidInput, MootError, StoreError, StoreUnavailable
from moot.store.backends.postgres.database import translated
from moot.store.backends.sqlite.connection import (
    ADVICE,
    Version,
    has_wal_reset_bug,
    journal_mode,
    translated as sqlite_translated,
)
from moot.store.sqlite_driver import sqlite3

FOREIGN: dict[Exception, type[MootError]] = {
    asyncpg.UniqueViolationError("x"): Conflict,
    asyncpg.InvalidTextRepresentationError("x"): InvalidInput,
    asyncpg.DataError("x"): InvalidInput,
    asyncpg.ConnectionDoesNotExistError("x"): StoreUnavailable,
    asyncpg.CannotConnectNowError("x"): StoreUnavailable,
    asyncpg.AdminShutdownError("x"): StoreUnavailable,
    asyncpg.TooManyConnectionsError("x"): StoreUnavailable,
    asyncpg.DiskFullError("x"): DiskFull,
    asyncpg.ReadOnlySQLTransactionError("x"): StoreUnavailable,
    asyncpg.DeadlockDetectedError("x"): StoreUnavailable,
    asyncpg.InvalidPasswordError("x"): StoreUnavailable,
    asyncpg.InvalidCatalogNameError("x"): StoreUnavailable,
    asyncpg.InterfaceError("x"): StoreUnavailable,
    asyncpg.InternalClientError("x"): StoreUnavailable,
    ConnectionRefusedError("x"): StoreUnavailable,
    TimeoutError(): StoreUnavailable,
    asyncpg.PostgresSyntaxError("x"): StoreError,
    Conflict("ours already"): Conflict,
}


@pytest.mark.parametrize("foreign", FOREIGN, ids=lambda error: type(error).__name__)
def test_translates_what_postgres_raises(foreign: Exception) -> None:
    with pytest.raises(MootError) as caught, translated():
        raise foreign
    assert type(caught.value) is FOREIGN[foreign]


@pytest.mark.parametrize("code", ADVICE)
def test_says_what_to_do_about_what_sqlite_raises(code: int) -> None:
    error = sqlite3.OperationalError("x")
    error.sqlite_errorcode = code | 0x300  # extended codes keep their family in the low byte
    told = sqlite_translated(error, Path("moot.db"))
    assert isinstance(told, StoreUnavailable)
    assert ADVICE[code] in str(told)


def test_does_not_call_an_unknown_error_of_sqlite_a_passing_one() -> None:
    assert type(sqlite_translated(sqlite3.OperationalError("x"), Path("moot.db"))) is StoreError


# --- which SQLite builds may use a write-ahead log ------------------------------------------------


BUILDS: dict[Version, str] = {
    (3, 6, 23): "delete",
    (3, 7, 0): "delete",
    (3, 40, 1): "delete",
    (3, 44, 5): "delete",
    (3, 44, 6): "wal",
    (3, 45, 0): "delete",
    (3, 49, 2): "delete",
    (3, 50, 6): "delete",
    (3, 50, 7): "wal",
    (3, 51, 0): "delete",
    (3, 51, 2): "delete",
    (3, 51, 3): "wal",
    (3, 52, 0): "wal",
    (4, 0, 0): "wal",
}


@pytest.mark.parametrize("version", BUILDS)
def test_chooses_the_journal_by_the_build(version: Version) -> None:
    assert journal_mode(version) == BUILDS[version]


def test_knows_that_the_bug_came_with_the_write_ahead_log() -> None:
    assert not has_wal_reset_bug((3, 6, 23))
    assert has_wal_reset_bug((3, 7, 0))
