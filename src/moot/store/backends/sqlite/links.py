"""Links by which strangers may read, in SQL. Every function runs in its caller's transaction."""

from __future__ import annotations

from moot.store.backends.sqlite.log import moment_of, summary, text_of
from moot.store.port import Link
from moot.store.sqlite_driver import sqlite3

# ruff: noqa: S608 - built from the columns here, never from input
_COLUMNS = "debate_id, token, has_private, made_at"
_KEEP = f"INSERT INTO links ({_COLUMNS}) VALUES (?, ?, ?, ?) ON CONFLICT (debate_id) DO NOTHING"
_OF = f"SELECT {_COLUMNS} FROM links WHERE debate_id = ?"
_BY = f"SELECT {_COLUMNS} FROM links WHERE token = ?"


def share(connection: sqlite3.Connection, link: Link) -> Link:
    summary(connection, link.debate_id)  # raises NotFound if there is no such debate
    values = (link.debate_id, link.token, link.has_private, text_of(link.made_at))
    connection.execute(_KEEP, values)
    return of(connection, link.debate_id) or link


def of(connection: sqlite3.Connection, debate_id: str) -> Link | None:
    return _read(connection.execute(_OF, (debate_id,)).fetchone())


def by(connection: sqlite3.Connection, token: str) -> Link | None:
    return _read(connection.execute(_BY, (token,)).fetchone())


def _read(row: tuple[str, str, int, str] | None) -> Link | None:
    if row is None:
        return None
    debate_id, token, has_private, made_at = row
    return Link(
        debate_id=debate_id,
        token=token,
        has_private=bool(has_private),
        made_at=moment_of(made_at),
    )


def revoke(connection: sqlite3.Connection, debate_id: str) -> bool:
    done = connection.execute("DELETE FROM links WHERE debate_id = ?", (debate_id,))
    return done.rowcount == 1
