"""Which schema this code reads and writes, and the SQL that brings a database up to date.

A database of an unknown revision must never be written to. There is one file for each database and
revision: `migrations/sqlite/0007.sql` leads from revision 0006 to 0007, and is the only source of
that step; there is no schema written down elsewhere. Each backend runs the statements on its own
driver, in one transaction with the new revision number, so that an interrupted upgrade leaves the
old schema and nothing in between. A file that has been released is never changed; what it left
wrong, the next one puts right. A migration cannot read rows in Python: what it moves, it moves in
SQL.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from moot.errors import StoreUnavailable
from moot.store.sqlite_driver import sqlite3

REVISIONS = (
    *("0001", "0002", "0003", "0004", "0005", "0006", "0007"),
    *("0008", "0009", "0010", "0011", "0012", "0013", "0014"),
)
"""Every revision that `migrations/` has a file for, oldest first (a test compares them)."""

HEAD = REVISIONS[-1]

TABLE = "moot_revision"
"""Where a database keeps its revision: one row, `version_num`."""

FILES = Path(__file__).parent / "migrations"

Database = Literal["sqlite", "postgres"]


def needs_upgrade(current: str | None) -> bool:
    """Whether a database of revision `current` (None: an empty one) is older than this code.

    Raises StoreUnavailable if it is newer.
    """
    if current is not None and current not in REVISIONS:
        message = (
            f"the database has schema {current}, which this version of moot does not know "
            f"(it knows up to {HEAD}): upgrade moot"
        )
        raise StoreUnavailable(message)
    return current != HEAD


def upgrade_statements(
    database: Database, current: str | None, target: str = HEAD
) -> tuple[str, ...]:
    """The statements that lead from revision `current` (None: nothing there) to `target`."""
    begin = REVISIONS.index(current) + 1 if current else 0
    statements: list[str] = []
    for revision in REVISIONS[begin : REVISIONS.index(target) + 1]:
        script = (FILES / database / f"{revision}.sql").read_text(encoding="utf-8")
        statements += [*_split(script), _number(current, revision)]
        current = revision
    return tuple(statements)


def _number(before: str | None, after: str) -> str:
    """The statement that records the revision, in the table that 0001 makes."""
    if before is None:
        return f"INSERT INTO {TABLE} (version_num) VALUES ('{after}');"  # noqa: S608 - our constants
    return f"UPDATE {TABLE} SET version_num='{after}' WHERE {TABLE}.version_num = '{before}';"  # noqa: S608


def _split(script: str) -> Iterator[str]:
    """Statement by statement, without the comments, which stand on lines of their own.

    Both databases quote alike, so SQLite's own scanner can tell where a statement ends.
    """
    statement = ""
    for line in script.splitlines(keepends=True):
        if line.startswith("--"):
            continue
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement.strip()
            statement = ""
