"""What is kept beside the log, in SQL: links, labels, and questions that came by other doors.

Every function runs in its caller's transaction. Attendance is timed by the machine's monotonic
clock, as leases are. Times of an earlier start of the machine mean nothing now: whoever attended
then is gone.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection

from moot.store.backends.sqlite.log import moment_of, summary, text_of
from moot.store.port import Asked, Label, Link
from moot.store.sqlite_driver import sqlite3
from moot.store.worker_identity import boot

# ruff: noqa: S608 - built from the columns here, never from input

# --- links by which strangers may read ------------------------------------------------------------

_LINK_COLUMNS = "debate_id, token, has_private, made_at"
_SHARE = (
    f"INSERT INTO links ({_LINK_COLUMNS}) VALUES (?, ?, ?, ?) ON CONFLICT (debate_id) DO NOTHING"
)
_LINK_OF = f"SELECT {_LINK_COLUMNS} FROM links WHERE debate_id = ?"
_LINK_BY = f"SELECT {_LINK_COLUMNS} FROM links WHERE token = ?"


def share(connection: sqlite3.Connection, link: Link) -> Link:
    summary(connection, link.debate_id)  # raises NotFound if there is no such debate
    values = (link.debate_id, link.token, link.has_private, text_of(link.made_at))
    connection.execute(_SHARE, values)
    return link_of(connection, link.debate_id) or link


def link_of(connection: sqlite3.Connection, debate_id: str) -> Link | None:
    return _read_link(connection.execute(_LINK_OF, (debate_id,)).fetchone())


def link_by(connection: sqlite3.Connection, token: str) -> Link | None:
    return _read_link(connection.execute(_LINK_BY, (token,)).fetchone())


def _read_link(row: tuple[str, str, int, str] | None) -> Link | None:
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


# --- what people say of debates -------------------------------------------------------------------

_LABEL_COLUMNS = "debate_id, by, winner, note, at"
_LABEL = f"""
INSERT INTO labels ({_LABEL_COLUMNS}) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (debate_id, by) DO UPDATE SET
  winner = excluded.winner, note = excluded.note, at = excluded.at
"""
_ALL_LABELS = f"SELECT {_LABEL_COLUMNS} FROM labels ORDER BY debate_id, by"
_LABELS_OF = f"""
SELECT {_LABEL_COLUMNS} FROM labels WHERE debate_id IN (SELECT value FROM json_each(?))
ORDER BY debate_id, by
"""
_UNLABEL = "DELETE FROM labels WHERE debate_id = ? AND by = ?"


def label(connection: sqlite3.Connection, label: Label) -> None:
    summary(connection, label.debate_id)  # raises NotFound if there is no such debate
    values = (label.debate_id, label.by, label.winner, label.note, text_of(label.at))
    connection.execute(_LABEL, values)


def unlabel(connection: sqlite3.Connection, debate_id: str, by: str) -> bool:
    return connection.execute(_UNLABEL, (debate_id, by)).rowcount == 1


def labels_of(
    connection: sqlite3.Connection, debate_ids: Collection[str] | None
) -> tuple[Label, ...]:
    if debate_ids is None:
        rows = connection.execute(_ALL_LABELS).fetchall()
    else:
        rows = connection.execute(_LABELS_OF, (json.dumps(sorted(debate_ids)),)).fetchall()
    return tuple(
        Label(debate_id=debate_id, by=by, winner=winner, note=note, at=moment_of(at))
        for debate_id, by, winner, note, at in rows
    )


# --- questions that came by other doors -----------------------------------------------------------

_ASKED_COLUMNS = "fingerprint, debate_id, asked_at, is_delivered, form"
_KEEP_ASKED = f"""
INSERT INTO asked ({_ASKED_COLUMNS}) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (fingerprint) DO UPDATE SET
  debate_id = excluded.debate_id, asked_at = excluded.asked_at,
  is_delivered = excluded.is_delivered, form = excluded.form, attended_until = NULL
WHERE debate_id = ?
"""
_ASKED_OF = f"SELECT {_ASKED_COLUMNS} FROM asked WHERE fingerprint = ?"
_DELIVER = "UPDATE asked SET is_delivered = 1 WHERE fingerprint = ? AND debate_id = ?"
_KEEP_FORM = "UPDATE asked SET form = ? WHERE fingerprint = ? AND debate_id = ?"
_ATTEND = """
UPDATE asked SET attended_until = ?, boot = ? WHERE debate_id IN (SELECT value FROM json_each(?))
"""
_LEAVE = "UPDATE asked SET attended_until = NULL WHERE debate_id = ?"
_UNATTENDED = """
SELECT DISTINCT debate_id FROM asked
WHERE attended_until IS NOT NULL AND (boot <> ? OR attended_until <= ?)
ORDER BY debate_id LIMIT ?
"""


def keep_asked(connection: sqlite3.Connection, asked: Asked, instead_of: str | None) -> Asked:
    values = (asked.fingerprint, asked.debate_id, text_of(asked.at), asked.is_delivered)
    connection.execute(_KEEP_ASKED, (*values, asked.form, instead_of))
    return asked_of(connection, asked.fingerprint) or asked


def asked_of(connection: sqlite3.Connection, fingerprint: str) -> Asked | None:
    row = connection.execute(_ASKED_OF, (fingerprint,)).fetchone()
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
    connection.execute(_DELIVER, (fingerprint, debate_id))


def keep_form(connection: sqlite3.Connection, fingerprint: str, debate_id: str, form: str) -> None:
    connection.execute(_KEEP_FORM, (form, fingerprint, debate_id))


def attend(connection: sqlite3.Connection, debate_ids: Collection[str], seconds: float) -> None:
    until = time.monotonic() + seconds
    connection.execute(_ATTEND, (until, boot(), json.dumps(sorted(debate_ids))))


def leave(connection: sqlite3.Connection, debate_id: str) -> None:
    connection.execute(_LEAVE, (debate_id,))


def unattended(connection: sqlite3.Connection, limit: int) -> list[str]:
    rows = connection.execute(_UNATTENDED, (boot(), time.monotonic(), limit)).fetchall()
    return [debate_id for (debate_id,) in rows]
