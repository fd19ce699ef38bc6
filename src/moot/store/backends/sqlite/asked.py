"""Questions that came by other doors, in SQL. Every function runs in its caller's transaction.

Attendance is timed by the machine's monotonic clock, as leases are. Times of an earlier start of
the machine mean nothing now: whoever attended then is gone.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection

from moot.store.backends.sqlite.log import moment_of, text_of
from moot.store.port import Asked
from moot.store.sqlite_driver import sqlite3
from moot.store.worker_identity import boot

# ruff: noqa: S608 - built from the columns here, never from input
_COLUMNS = "fingerprint, debate_id, asked_at, is_delivered, form"
_KEEP = f"""
INSERT INTO asked ({_COLUMNS}) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (fingerprint) DO UPDATE SET
  debate_id = excluded.debate_id, asked_at = excluded.asked_at,
  is_delivered = excluded.is_delivered, form = excluded.form, attended_until = NULL
WHERE debate_id = ?
"""
_OF = f"SELECT {_COLUMNS} FROM asked WHERE fingerprint = ?"
_DELIVERED = "UPDATE asked SET is_delivered = 1 WHERE fingerprint = ? AND debate_id = ?"
_FORM = "UPDATE asked SET form = ? WHERE fingerprint = ? AND debate_id = ?"
_ATTEND = """
UPDATE asked SET attended_until = ?, boot = ? WHERE debate_id IN (SELECT value FROM json_each(?))
"""
_LEAVE = "UPDATE asked SET attended_until = NULL WHERE debate_id = ?"
_UNATTENDED = """
SELECT DISTINCT debate_id FROM asked
WHERE attended_until IS NOT NULL AND (boot <> ? OR attended_until <= ?)
ORDER BY debate_id LIMIT ?
"""


def keep(connection: sqlite3.Connection, asked: Asked, instead_of: str | None) -> Asked:
    values = (asked.fingerprint, asked.debate_id, text_of(asked.at), asked.is_delivered)
    connection.execute(_KEEP, (*values, asked.form, instead_of))
    return of(connection, asked.fingerprint) or asked


def of(connection: sqlite3.Connection, fingerprint: str) -> Asked | None:
    row = connection.execute(_OF, (fingerprint,)).fetchone()
    if row is None:
        return None
    fingerprint, debate_id, at, is_delivered, form = row
    return Asked(
        fingerprint=fingerprint,
        debate_id=debate_id,
        at=moment_of(at),
        is_delivered=bool(is_delivered),
        form=form,
    )


def deliver(connection: sqlite3.Connection, fingerprint: str, debate_id: str) -> None:
    connection.execute(_DELIVERED, (fingerprint, debate_id))


def keep_form(connection: sqlite3.Connection, fingerprint: str, debate_id: str, form: str) -> None:
    connection.execute(_FORM, (form, fingerprint, debate_id))


def attend(connection: sqlite3.Connection, debate_ids: Collection[str], seconds: float) -> None:
    until = time.monotonic() + seconds
    connection.execute(_ATTEND, (until, boot(), json.dumps(sorted(debate_ids))))


def leave(connection: sqlite3.Connection, debate_id: str) -> None:
    connection.execute(_LEAVE, (debate_id,))


def unattended(connection: sqlite3.Connection, limit: int) -> list[str]:
    rows = connection.execute(_UNATTENDED, (boot(), time.monotonic(), limit)).fetchall()
    return [debate_id for (debate_id,) in rows]
