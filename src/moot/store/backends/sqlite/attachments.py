"""The texts given to debates to read, in SQL. Every function runs in its caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping

from moot.errors import NotFound
from moot.store.sqlite_driver import sqlite3

_KEEP = "INSERT INTO attachments (sha256, content) VALUES (?, ?) ON CONFLICT DO NOTHING"
_UNUSED = (
    "DELETE FROM attachments WHERE sha256 = ? "
    "AND NOT EXISTS (SELECT 1 FROM attached WHERE attached.sha256 = attachments.sha256)"
)


def attach(
    connection: sqlite3.Connection, debate_id: str, wanted: Mapping[str, str | None]
) -> None:
    """Keep the texts that came along, and note that the debate has all of them."""
    for sha256, text in wanted.items():
        if text is not None:
            connection.execute(_KEEP, (sha256, text))
        query = "SELECT 1 FROM attachments WHERE sha256 = ?"
        if connection.execute(query, (sha256,)).fetchone() is None:
            message = f"the file with the hash {sha256} is not there any more"
            raise NotFound(message)
        connection.execute("INSERT INTO attached VALUES (?, ?)", (debate_id, sha256))


def files(connection: sqlite3.Connection, debate_id: str) -> dict[str, str]:
    query = (
        "SELECT sha256, content FROM attachments "
        "WHERE sha256 IN (SELECT sha256 FROM attached WHERE debate_id = ?)"
    )
    return dict(connection.execute(query, (debate_id,)).fetchall())


def detach(connection: sqlite3.Connection, debate_id: str) -> None:
    """Remove the debate's notes, and the texts that no other debate has."""
    query = "SELECT sha256 FROM attached WHERE debate_id = ?"
    found = connection.execute(query, (debate_id,)).fetchall()
    if found:
        connection.execute("DELETE FROM attached WHERE debate_id = ?", (debate_id,))
        connection.executemany(_UNUSED, found)
