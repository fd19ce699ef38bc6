"""Erases what a deleted debate leaves behind in the files.

Deleting rows overwrites them (`secure_delete`). That is not all: copies of them are in the journal,
and, where SQLite had moved rows from page to page, in the unused parts of pages. So the journal is
emptied after every deletion, and a file that is not too large is written anew.

It has a connection of its own, so that reading goes on meanwhile; those who write wait for less
than half a second.
"""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from moot.store.backends.sqlite.connection import connect, primary_code
from moot.store.sqlite_driver import sqlite3

MOST_REWRITTEN_BYTES = 32 * 1024 * 1024
"""The most that is written anew: about a third of a second, in which nobody else can write."""
BUSY_MS = 200
"""How long one attempt waits for others, who may be waiting for it in turn."""
PAUSES_S = (0.05, 0.1, 0.2, 0.4, 0.8, 1.0, 1.0)

log = logging.getLogger("moot.store")


class Eraser:
    """Erases once for everybody who deleted something before it began."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = asyncio.Lock()
        self._deletions = 0
        self._erased = 0

    async def erase(self) -> None:
        """Return when what was deleted is gone from the files, or has to stay for the time being.

        It stays as long as others keep the file busy, or the disk is full; then the next deletion
        takes it along, or the last process that closes the file.
        """
        self._deletions += 1
        mine = self._deletions
        async with self._lock:
            if self._erased >= mine:
                return
            begun = self._deletions
            for pause_s in (*PAUSES_S, None):
                if await asyncio.to_thread(_is_erased, self._path):
                    self._erased = begun
                    return
                if pause_s is not None:
                    await asyncio.sleep(pause_s)
        log.warning("what was deleted is still in the journal of the database, which is busy")


def _is_erased(path: Path) -> bool:
    try:
        connection = connect(path)
        try:
            return _erased(connection, path)
        finally:
            connection.close()
    except sqlite3.Error as error:
        if primary_code(error) not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            log.warning("what was deleted could not be erased: %s", error)
        return False


def _erased(connection: sqlite3.Connection, path: Path) -> bool:
    connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
    (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    if path.stat().st_size <= MOST_REWRITTEN_BYTES:
        connection.execute("VACUUM")
    elif mode != "wal":
        # Any transaction will do: at its end this connection unlinks the journal that others keep.
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        connection.execute(f"PRAGMA user_version = {version}")
    if mode != "wal":
        return True
    (is_busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not is_busy
