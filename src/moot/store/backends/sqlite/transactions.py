"""How groups of jobs are run: writes together in one transaction, reads each on its own.

One job that is refused, or breaks by a mistake of ours, must never undo its neighbours, and no job
may be told of a commit that failed.
Under a rollback journal readers and the committing writer exclude one another; threads of this
process therefore take turns by a lock instead of polling the file. A write-ahead log needs none.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from moot.errors import StoreError
from moot.store.backends.sqlite.connection import PASSING, primary_code, translated
from moot.store.backends.sqlite.connection_thread import Job, Outcome
from moot.store.sqlite_driver import sqlite3

Connect = Callable[[Path], sqlite3.Connection]


class Session:
    """The connection of one thread, opened when needed and again after an error that spoilt it."""

    def __init__(self, path: Path, connect: Connect, turns: threading.Lock) -> None:
        self._path = path
        self._connect = connect
        self._turns = turns
        self._guard: AbstractContextManager[object] = turns
        self._connection: sqlite3.Connection | None = None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def write(self, jobs: list[Job[Any]]) -> list[Outcome]:
        """Commit the group at once. Only if one of them raises, do it again with savepoints."""
        try:
            try:
                return self._committed(jobs, _together)
            except sqlite3.Error:  # of the database, and so of them all
                raise
            except Exception as error:  # noqa: BLE001 - told to the one who waits
                if len(jobs) == 1:
                    return [(jobs[0], None, error)]
                return self._committed(jobs, _apart)
        except Exception as error:  # noqa: BLE001 - told to those who wait; the thread must live on
            return [(job, None, self._after(error)) for job in jobs]

    def read(self, jobs: list[Job[Any]]) -> list[Outcome]:
        return [self._read(job) for job in jobs]

    def _read(self, job: Job[Any]) -> Outcome:
        try:
            connection = self._connected()
            with self._guard:
                return job, job.work(connection), None
        except Exception as error:  # noqa: BLE001 - told to the one who waits
            return job, None, self._after(error)

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = self._connect(self._path)
            (mode,) = self._connection.execute("PRAGMA journal_mode").fetchone()
            self._guard = nullcontext() if mode == "wal" else self._turns
        return self._connection

    def _committed(
        self,
        jobs: list[Job[Any]],
        perform: Callable[[sqlite3.Connection, list[Job[Any]]], list[Outcome]],
    ) -> list[Outcome]:
        connection = self._connected()
        connection.execute("BEGIN IMMEDIATE")
        try:
            outcomes = perform(connection, jobs)
            with self._guard:
                connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return outcomes

    def _after(self, error: Exception) -> Exception:
        """What to tell the caller; a connection of doubtful state is given up."""
        if not isinstance(error, sqlite3.Error):
            return error
        if primary_code(error) not in PASSING:
            self.close()
        told: StoreError = translated(error, self._path)
        told.__cause__ = error
        return told


def _together(connection: sqlite3.Connection, jobs: list[Job[Any]]) -> list[Outcome]:
    return [(job, job.work(connection), None) for job in jobs]


def _apart(connection: sqlite3.Connection, jobs: list[Job[Any]]) -> list[Outcome]:
    return [_alone(connection, job) for job in jobs]


def _alone(connection: sqlite3.Connection, job: Job[Any]) -> Outcome:
    connection.execute("SAVEPOINT job")
    try:
        result = job.work(connection)
    except sqlite3.Error:
        raise
    except Exception as error:  # noqa: BLE001 - told to the one who waits
        connection.execute("ROLLBACK TO job")
        connection.execute("RELEASE job")
        return job, None, error
    connection.execute("RELEASE job")
    return job, result, None
