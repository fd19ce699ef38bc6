"""What people say of debates, in SQL. Every function runs in its caller's transaction."""

from __future__ import annotations

import json
from collections.abc import Collection

from moot.store.backends.sqlite.log import moment_of, summary, text_of
from moot.store.port import Label
from moot.store.sqlite_driver import sqlite3

# ruff: noqa: S608 - built from the columns here, never from input
_COLUMNS = "debate_id, by, winner, note, at"
_KEEP = f"""
INSERT INTO labels ({_COLUMNS}) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (debate_id, by) DO UPDATE SET
  winner = excluded.winner, note = excluded.note, at = excluded.at
"""
_ALL = f"SELECT {_COLUMNS} FROM labels ORDER BY debate_id, by"
_OF = f"""
SELECT {_COLUMNS} FROM labels WHERE debate_id IN (SELECT value FROM json_each(?))
ORDER BY debate_id, by
"""
_REMOVE = "DELETE FROM labels WHERE debate_id = ? AND by = ?"


def keep(connection: sqlite3.Connection, label: Label) -> None:
    summary(connection, label.debate_id)  # raises NotFound if there is no such debate
    values = (label.debate_id, label.by, label.winner, label.note, text_of(label.at))
    connection.execute(_KEEP, values)


def remove(connection: sqlite3.Connection, debate_id: str, by: str) -> bool:
    return connection.execute(_REMOVE, (debate_id, by)).rowcount == 1


def of(connection: sqlite3.Connection, debate_ids: Collection[str] | None) -> tuple[Label, ...]:
    if debate_ids is None:
        rows = connection.execute(_ALL).fetchall()
    else:
        rows = connection.execute(_OF, (json.dumps(sorted(debate_ids)),)).fetchall()
    return tuple(
        Label(debate_id=debate_id, by=by, winner=winner, note=note, at=moment_of(at))
        for debate_id, by, winner, note, at in rows
    )
