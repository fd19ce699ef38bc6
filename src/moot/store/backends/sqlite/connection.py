"""Connections to the file: how it is created, opened and brought up to date.

A database must never be readable for others, never be made anew where one has vanished, and never
be opened with a journal its SQLite build cannot be trusted with: a build with the WAL-reset bug
must not write a write-ahead log, for it can lose committed transactions (sqlite.org/wal.html, "The
WAL-Reset Bug"; docs/decisions/0001).
"""

from __future__ import annotations

import errno
import os
import tempfile
import time
from pathlib import Path

from moot.errors import DiskFull, StoreError, StoreUnavailable
from moot.store import migrate
from moot.store.migrate import TABLE, needs_upgrade
from moot.store.sqlite_driver import sqlite3

BUSY_TIMEOUT_S = 10.0
"""How long to wait for another process. Write transactions take milliseconds."""

_PRIMARY_CODE = 0xFF  # extended codes carry their family in the low byte
_RESULT_WAL = "wal"
_RESULT_DELETE = "delete"

ADVICE = {
    sqlite3.SQLITE_BUSY: "another process keeps the database locked: end it, or try again",
    sqlite3.SQLITE_LOCKED: "another process keeps the database locked: end it, or try again",
    sqlite3.SQLITE_READONLY: "the database cannot be written: check the permissions of the file "
    "and of its directory",
    sqlite3.SQLITE_PERM: "no permission: check the owner of the file and of its directory",
    sqlite3.SQLITE_CANTOPEN: "the database cannot be opened: check that the directory exists and "
    "that you may write to it",
    sqlite3.SQLITE_IOERR: "the disk reports an error: check the device and the space left on it",
    sqlite3.SQLITE_CORRUPT: "the database is damaged: restore a copy, or try "
    "`sqlite3 FILE .recover`",
    sqlite3.SQLITE_NOTADB: "this is not an SQLite database: choose another file",
}
MAY_BE_FULL = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
"""Codes that SQLite also gives when a file beside the database cannot grow."""
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""No room on the disk, in a quota, or within the size that files of this process may have."""
ROOM_BYTES = 64 * 1024
PASSING = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
"""Errors that leave the connection usable."""


def primary_code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & _PRIMARY_CODE


def translated(error: sqlite3.Error, path: Path) -> StoreError:
    """What `error` is called in Moot, with what to do about it."""
    code = primary_code(error)
    if code == sqlite3.SQLITE_FULL or (code in MAY_BE_FULL and _is_full(path)):
        return disk_full(path)
    advice = ADVICE.get(code)
    if advice is None:
        return StoreError(f"{path}: {error}")
    return StoreUnavailable(f"{path}: {advice} ({error})")


def disk_full(path: Path) -> DiskFull:
    message = f"the disk that holds {path} is full: free some space, and all goes on by itself"
    return DiskFull(message)


def _is_full(path: Path) -> bool:
    try:
        check_room(path)
    except StoreUnavailable as error:
        return isinstance(error, DiskFull)
    return False


def check_room(path: Path) -> None:
    """Write something beside the database, as its next commit will. Raises StoreUnavailable.

    To ask the system how much is free would not do: quotas and broken disks are not in that figure,
    and a database that has pages to spare can be written to when nothing else can.
    """
    try:
        with tempfile.TemporaryFile(dir=path.parent) as probe:
            probe.write(bytes(ROOM_BYTES))
            probe.flush()
    except OSError as error:
        if error.errno in FULL:
            raise disk_full(path) from None
        message = f"{path}: nothing can be written beside it ({error.strerror})"
        raise StoreUnavailable(message) from None


def create_file(name: str | Path) -> Path:
    """Make the file (0600) and its directory (0700) unless they are there already."""
    path = Path(name).expanduser().absolute()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        if error.errno in FULL:
            raise disk_full(path) from error
        message = f"{path}: {ADVICE[sqlite3.SQLITE_CANTOPEN]} ({error.strerror})"
        raise StoreUnavailable(message) from error
    return path


def connect(path: Path) -> sqlite3.Connection:
    """A connection to an existing file, in autocommit: transactions are always begun explicitly."""
    connection = sqlite3.connect(
        # mode=rw: a file that vanished must be an error, not be replaced by an empty one.
        f"{path.as_uri()}?mode=rw",
        uri=True,
        timeout=BUSY_TIMEOUT_S,
        isolation_level=None,
    )
    # FULL: what was acknowledged survives a power cut, in either journal mode (RELIABILITY P1).
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA temp_store = MEMORY")
    # A transaction that outgrows the cache would lock readers out long before it commits.
    connection.execute("PRAGMA cache_spill = OFF")
    # What is deleted, or moved within its page, is overwritten and not only forgotten.
    connection.execute("PRAGMA secure_delete = ON")
    return connection


def connect_writer(path: Path) -> sqlite3.Connection:
    """`connect`, with the journal mode of this SQLite build and the schema brought up to date."""
    connection = connect(path)
    try:
        _choose_journal(connection, path)
        _upgrade(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _choose_journal(connection: sqlite3.Connection, path: Path) -> None:
    wanted = journal_mode(sqlite3.sqlite_version_info)
    deadline = time.monotonic() + BUSY_TIMEOUT_S
    while (actual := _switch_journal(connection, wanted)) != wanted and time.monotonic() < deadline:
        time.sleep(0.02)  # SQLite does not wait by itself here
    if actual == _RESULT_WAL != wanted:
        message = (
            f"{path}: another process uses this database with a write-ahead log, which SQLite "
            f"{sqlite3.sqlite_version} of this Python may damage: end that process first"
        )
        raise StoreUnavailable(message)
    if actual == _RESULT_DELETE:
        # The same rollback journal, but its file is kept and its head overwritten and synced, where
        # DELETE unlinks it and leaves the directory to the kernel: half the cost of a commit, and a
        # power cut cannot bring a finished journal back. This holds for this connection only, not
        # for the file.
        connection.execute("PRAGMA journal_mode = PERSIST")


def _switch_journal(connection: sqlite3.Connection, wanted: str) -> str:
    """The mode after trying: changing it takes exclusive use of the file for a moment."""
    try:
        row = connection.execute(f"PRAGMA journal_mode = {wanted}").fetchone()
    except sqlite3.OperationalError as error:
        if primary_code(error) not in PASSING:
            raise
        row = connection.execute("PRAGMA journal_mode").fetchone()
    return str(row[0])


def revision_of(connection: sqlite3.Connection) -> str | None:
    """The schema's revision; None for a database without one."""
    known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (TABLE,)).fetchone()
    if known is None:
        return None
    row = connection.execute(f"SELECT version_num FROM {TABLE}").fetchone()  # noqa: S608 - our constant
    return str(row[0]) if row else None


def _upgrade(connection: sqlite3.Connection) -> None:
    if not needs_upgrade(revision_of(connection)):
        return
    # Of two processes the second waits here and then finds the work done.
    connection.execute("BEGIN EXCLUSIVE")
    try:
        current = revision_of(connection)
        if needs_upgrade(current):
            for statement in migrate.upgrade_statements("sqlite", current):
                connection.execute(statement)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


# --- which journal a build may be trusted with ----------------------------------------------------


Version = tuple[int, int, int]

_FIRST_WITH_BUG: Version = (3, 7, 0)
_FIRST_WITHOUT: Version = (3, 51, 3)
# Branches that got the fix afterwards: from this release on.
_FIXED_BRANCHES: dict[tuple[int, int], int] = {(3, 44): 6, (3, 50): 7}


def has_wal_reset_bug(version: Version) -> bool:
    fixed_from = _FIXED_BRANCHES.get(version[:2])
    if fixed_from is not None and version[2] >= fixed_from:
        return False
    return _FIRST_WITH_BUG <= version < _FIRST_WITHOUT


def journal_mode(version: Version) -> str:
    """`wal` where it is safe, else `delete`. Both are used with synchronous=FULL."""
    is_too_old = version < _FIRST_WITH_BUG  # there was no write-ahead log yet
    return "delete" if is_too_old or has_wal_reset_bug(version) else "wal"
