"""The log and its summaries in SQL. Every function runs inside a transaction of its caller.

A function here must refuse before it writes, or rely on its caller's savepoint.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NoReturn

from moot.errors import Conflict, InvalidInput, LeaseLost, NotFound
from moot.protocol.events import Recorded
from moot.protocol.row import DebateRow
from moot.store.backends.sqlite import attachments
from moot.store.rows import (
    EVENT_COLUMNS,
    FIXED_COLUMNS,
    MOVING_COLUMNS,
    SUMMARY_COLUMNS,
    EventRow,
    recorded,
    summary_of,
    utc,
)
from moot.store.sqlite_driver import sqlite3

# Constant texts, so that SQLite prepares each of them once per connection.
# ruff: noqa: S608 - built from the column tables of this package, never from input
_INSERT_DEBATE = (
    f"INSERT INTO debates ({', '.join(FIXED_COLUMNS + MOVING_COLUMNS)}) "
    f"VALUES ({', '.join('?' * len(FIXED_COLUMNS + MOVING_COLUMNS))})"
)
_INSERT_EVENT = f"INSERT INTO events ({', '.join(EVENT_COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?)"
_SET_MOVING = ", ".join(f"{column} = ?" for column in MOVING_COLUMNS)
_SET_ALL = ", ".join(f"{column} = ?" for column in FIXED_COLUMNS + MOVING_COLUMNS)
_ADVANCE = (
    f"UPDATE debates SET {_SET_MOVING}, claims = min(claims, ?) "
    "WHERE id = ? AND seq = ? AND fence = ifnull(?, fence)"
)
_REPAIR = (
    f"UPDATE debates SET {_SET_ALL} WHERE id = ? "
    "AND ? = (SELECT max(seq) FROM events WHERE debate_id = debates.id)"
)
_SELECT_SUMMARY = f"SELECT {', '.join(SUMMARY_COLUMNS)} FROM debates WHERE id = ?"


@lru_cache(maxsize=64)  # a record and the row beside it have the same time
def text_of(moment: datetime) -> str:
    # The zone is written by hand: with it, `isoformat` takes several times as long.
    return utc(moment).replace(tzinfo=None).isoformat(timespec="microseconds") + "+00:00"


def moment_of(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def not_found(debate_id: str) -> NotFound:
    return NotFound(f"there is no debate {debate_id!r}")


def too_large() -> InvalidInput:
    return InvalidInput("a number is too large to be stored")


def create(
    connection: sqlite3.Connection,
    debate_id: str,
    events: Sequence[EventRow],
    values: tuple[Any, ...],
) -> None:
    try:
        connection.execute(_INSERT_DEBATE, values)
        connection.executemany(_INSERT_EVENT, events)
    except sqlite3.IntegrityError as error:
        message = f"debate {debate_id!r} exists already"
        raise Conflict(message) from error
    except OverflowError as error:
        raise too_large() from error


def append(
    connection: sqlite3.Connection,
    events: Sequence[EventRow],
    values: tuple[Any, ...],
    fence: int | None,
) -> None:
    """`values` are those of MOVING_COLUMNS, and what the count of claims is reduced to."""
    debate_id, first, *_ = events[0]
    try:
        done = connection.execute(_ADVANCE, (*values, debate_id, first - 1, fence))
        if done.rowcount == 0:
            _refuse(connection, debate_id, first, fence)
        if len(events) == 1:
            connection.execute(_INSERT_EVENT, events[0])
        else:
            connection.executemany(_INSERT_EVENT, events)
    except sqlite3.IntegrityError as error:
        message = f"a step of debate {debate_id!r} is recorded already"
        raise Conflict(message) from error
    except OverflowError as error:
        raise too_large() from error


def _refuse(
    connection: sqlite3.Connection, debate_id: str, first: int, fence: int | None
) -> NoReturn:
    query = "SELECT seq, fence FROM debates WHERE id = ?"
    row = connection.execute(query, (debate_id,)).fetchone()
    if row is None:
        raise not_found(debate_id)
    if fence is not None and fence != row[1]:
        message = f"debate {debate_id!r} has fence {row[1]} and not {fence}: it was taken over"
        raise LeaseLost(message)
    message = f"the log of debate {debate_id!r} ends at {row[0]} and not at {first - 1}"
    raise Conflict(message)


def repair(
    connection: sqlite3.Connection, values: tuple[Any, ...], debate_id: str, seq: int
) -> bool:
    return connection.execute(_REPAIR, (*values, debate_id, seq)).rowcount == 1


def delete(connection: sqlite3.Connection, debate_id: str, seq: int | None) -> None:
    query = "DELETE FROM debates WHERE id = ? AND seq = ifnull(?, seq)"
    if connection.execute(query, (debate_id, seq)).rowcount == 0:
        end = summary(connection, debate_id).seq
        message = f"the log of debate {debate_id!r} ends at {end} and not at {seq}"
        raise Conflict(message)
    connection.execute("DELETE FROM events WHERE debate_id = ?", (debate_id,))
    connection.execute("DELETE FROM links WHERE debate_id = ?", (debate_id,))
    connection.execute("DELETE FROM labels WHERE debate_id = ?", (debate_id,))
    connection.execute("DELETE FROM asked WHERE debate_id = ?", (debate_id,))
    attachments.detach(connection, debate_id)


def read(
    connection: sqlite3.Connection, debate_id: str, after: int, limit: int | None
) -> list[Recorded]:
    rows = connection.execute(
        "SELECT seq, at, body FROM events WHERE debate_id = ? AND seq > ? ORDER BY seq LIMIT ?",
        (debate_id, after, -1 if limit is None else limit),
    ).fetchall()
    if not rows:
        summary(connection, debate_id)  # raises NotFound if there is no such debate
    return [recorded(seq, moment_of(at), body) for seq, at, body in rows]


def ends_of(connection: sqlite3.Connection, debates: Sequence[str]) -> dict[str, int]:
    """Where the logs of these debates end; those that do not exist are left out."""
    query = "SELECT id, seq FROM debates WHERE id IN (SELECT value FROM json_each(?))"
    return dict(connection.execute(query, (json.dumps(debates),)).fetchall())


def data_version(connection: sqlite3.Connection) -> int:
    """A number that changes whenever another connection has committed anything."""
    (version,) = connection.execute("PRAGMA data_version").fetchone()
    return int(version)


def summary(connection: sqlite3.Connection, debate_id: str) -> DebateRow:
    row = connection.execute(_SELECT_SUMMARY, (debate_id,)).fetchone()
    if row is None:
        raise not_found(debate_id)
    return summary_of(row, moment_of)
