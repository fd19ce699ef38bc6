"""Groups of writes: what one of them raises is its own business, and nothing of it stays."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from moot.errors import Conflict, StoreError
from moot.store.backends.sqlite.connection import connect_writer, create_file
from moot.store.backends.sqlite.connection_thread import Job
from moot.store.backends.sqlite.transactions import Session
from moot.store.sqlite_driver import sqlite3


def writing(number: int, error: BaseException | None = None) -> Any:
    def work(connection: sqlite3.Connection) -> int:
        connection.execute("INSERT INTO numbers VALUES (?)", (number,))
        if error is not None:
            raise error
        return number

    return work


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(create_file(tmp_path / "moot.db"), connect_writer, threading.Lock())


async def outcomes(session: Session, *works: Any) -> list[Any]:
    """What came of each: what it returned, or the kind of error it raised."""
    loop = asyncio.get_running_loop()
    done = session.write([Job(work, loop.create_future()) for work in works])
    return [result if error is None else type(error) for _, result, error in done]


def numbers(connection: sqlite3.Connection) -> list[int]:
    return [number for (number,) in connection.execute("SELECT n FROM numbers ORDER BY n")]


@pytest.mark.parametrize("error", [Conflict("no"), OverflowError("too large"), KeyError("x")])
async def test_what_one_raises_undoes_nothing_but_its_own(
    session: Session, error: Exception
) -> None:
    await outcomes(session, lambda connection: connection.execute("CREATE TABLE numbers (n)"))
    told = await outcomes(session, writing(1), writing(2, error), writing(3))
    assert told == [1, type(error), 3]
    assert await outcomes(session, writing(4, error)) == [type(error)]
    assert await outcomes(session, numbers) == [[1, 3]]
    session.close()


async def test_what_the_database_says_is_told_to_all(session: Session) -> None:
    await outcomes(session, lambda connection: connection.execute("CREATE TABLE numbers (n)"))
    broken = sqlite3.OperationalError("disk I/O error")
    told = await outcomes(session, writing(1), writing(2, broken), writing(3))
    assert told == [StoreError] * 3
    assert await outcomes(session, numbers) == [[]]
    session.close()
