"""Looking for debates. Queries end at once (fetchall): a cursor left open would hold the file."""

from __future__ import annotations

from moot.protocol.row import DebateRow
from moot.protocol.words import Status
from moot.store.backends.sqlite.log import moment_of, text_of
from moot.store.pages import Filter
from moot.store.rows import SUMMARY_COLUMNS, counted, fold, summary_of
from moot.store.sqlite_driver import sqlite3

MOST_FOUND = 10

# ruff: noqa: S608 - built from the tables here, never from input
_SELECT = f"SELECT {', '.join(SUMMARY_COLUMNS)} FROM debates"


def find(connection: sqlite3.Connection, prefix: str) -> list[str]:
    rows = connection.execute(
        "SELECT id FROM debates WHERE id >= ? AND id < ? ORDER BY id LIMIT ?",
        (prefix, prefix + "\U0010ffff", MOST_FOUND),
    )
    return [debate_id for (debate_id,) in rows.fetchall()]


def count(connection: sqlite3.Connection) -> dict[Status, int]:
    rows = connection.execute("SELECT status, count(*) FROM debates GROUP BY status").fetchall()
    return counted(rows)


def list_page(connection: sqlite3.Connection, wanted: Filter, count: int) -> list[DebateRow]:
    return selected(connection, *filtered(wanted), count)


def hearings(connection: sqlite3.Connection, debate_id: str, count: int) -> list[DebateRow]:
    # The second condition is that of the partial index.
    return selected(connection, ["hears = ?", "hears <> ''"], [debate_id], count)


def filtered(wanted: Filter) -> tuple[list[str], list[str | int]]:
    """The conditions, and the values of their question marks."""
    clauses: list[str] = []
    values: list[str | int] = []
    if wanted.status is not None:
        clauses.append("status = ?")
        values.append(wanted.status.value)
    if wanted.format is not None:
        clauses.append("format = ?")
        values.append(wanted.format)
    if wanted.door is not None:
        clauses.append("substr(origin || '/', 1, length(?) + 1) = ? || '/'")
        values += [wanted.door] * 2
    if wanted.query:
        clauses.append("(instr(topic_folded, ?) OR instr(title_folded, ?))")
        values += [fold(wanted.query)] * 2
    if wanted.after is not None:
        clauses.append("(created_at, id) < (?, ?)")
        values += [text_of(wanted.after.created_at), wanted.after.id]
    return clauses, values


def selected(
    connection: sqlite3.Connection, clauses: list[str], values: list[str | int], count: int
) -> list[DebateRow]:
    """The newest `count` debates that fulfil all conditions; all of them for -1."""
    where = f" WHERE {' AND '.join(clauses)}" if clauses else ""
    query = f"{_SELECT}{where} ORDER BY created_at DESC, id DESC LIMIT ?"
    rows = connection.execute(query, (*values, count)).fetchall()
    return [summary_of(row, moment_of) for row in rows]
