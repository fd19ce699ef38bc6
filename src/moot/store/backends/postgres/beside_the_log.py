"""What is kept beside the log, in SQL: links, labels, and questions that came by other doors.

Attendance is timed by the database's own clock. Nothing here may outlive its debate: what was made
in the very moment of a deletion is tidied up after it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import asyncpg

from moot.errors import NotFound
from moot.store.backends.postgres.database import Database
from moot.store.port import Asked, Label, Link
from moot.store.rows import utc

# ruff: noqa: S608 - built from the columns here, never from input

# --- links by which strangers may read ------------------------------------------------------------

_LINK_COLUMNS = "debate_id, token, has_private, made_at"
# The lock lets nobody delete the debate meanwhile: its link would outlive it. The update changes
# nothing, but it returns the row that is there.
_SHARE = f"""
INSERT INTO links ({_LINK_COLUMNS})
SELECT id, $2::text, $3::boolean, $4::timestamptz FROM debates WHERE id = $1 FOR SHARE
ON CONFLICT (debate_id) DO UPDATE SET debate_id = excluded.debate_id
RETURNING {_LINK_COLUMNS}
"""
_LINK_OF = f"SELECT {_LINK_COLUMNS} FROM links WHERE debate_id = $1"
_LINK_BY = f"SELECT {_LINK_COLUMNS} FROM links WHERE token = $1"
_REVOKE = "DELETE FROM links WHERE debate_id = $1 RETURNING debate_id"
# A link goes with its debate. One that was made in that very moment is not seen by the deletion,
# and goes now, or, if the process dies before, with the next debate that is deleted.
_TIDY_LINKS = (
    "DELETE FROM links l WHERE NOT EXISTS (SELECT 1 FROM debates d WHERE d.id = l.debate_id)"
)


async def share(database: Database, link: Link) -> Link:
    values = (link.debate_id, link.token, link.has_private, utc(link.made_at))
    found = _read_link(await database.write(_SHARE, *values))
    if found is None:
        message = f"there is no debate {link.debate_id!r}"
        raise NotFound(message)
    return found


async def link_of(database: Database, debate_id: str) -> Link | None:
    return _read_link(await database.read(_LINK_OF, debate_id))


async def link_by(database: Database, token: str) -> Link | None:
    return _read_link(await database.read(_LINK_BY, token))


def _read_link(rows: Sequence[asyncpg.Record]) -> Link | None:
    if not rows:
        return None
    debate_id, token, has_private, made_at = rows[0]
    return Link(debate_id=debate_id, token=token, has_private=has_private, made_at=utc(made_at))


async def revoke(database: Database, debate_id: str) -> bool:
    return bool(await database.write(_REVOKE, debate_id))


async def tidy_links(database: Database) -> None:
    """Remove the links of debates that are gone."""
    await database.write(_TIDY_LINKS)


# --- what people say of debates -------------------------------------------------------------------

_LABEL_COLUMNS = "debate_id, by, winner, note, at"
# The lock lets nobody delete the debate meanwhile: its label would outlive it.
_LABEL = f"""
INSERT INTO labels ({_LABEL_COLUMNS})
SELECT id, $2::text, $3::text, $4::text, $5::timestamptz FROM debates WHERE id = $1 FOR SHARE
ON CONFLICT (debate_id, by) DO UPDATE SET
  winner = excluded.winner, note = excluded.note, at = excluded.at
RETURNING debate_id
"""
_LABELS_OF = f"""
SELECT {_LABEL_COLUMNS} FROM labels WHERE $1::text[] IS NULL OR debate_id = ANY($1)
ORDER BY debate_id, by
"""
_UNLABEL = "DELETE FROM labels WHERE debate_id = $1 AND by = $2 RETURNING debate_id"
# As with links: a label that was given in the very moment of a deletion is not seen by it.
_TIDY_LABELS = (
    "DELETE FROM labels l WHERE NOT EXISTS (SELECT 1 FROM debates d WHERE d.id = l.debate_id)"
)


async def label(database: Database, label: Label) -> None:
    values = (label.debate_id, label.by, label.winner, label.note, utc(label.at))
    if not await database.write(_LABEL, *values):
        message = f"there is no debate {label.debate_id!r}"
        raise NotFound(message)


async def unlabel(database: Database, debate_id: str, by: str) -> bool:
    return bool(await database.write(_UNLABEL, debate_id, by))


async def labels_of(database: Database, debate_ids: Collection[str] | None) -> tuple[Label, ...]:
    wanted = None if debate_ids is None else sorted(debate_ids)
    return tuple(
        Label(debate_id=debate_id, by=by, winner=winner, note=note, at=utc(at))
        for debate_id, by, winner, note, at in await database.read(_LABELS_OF, wanted)
    )


async def tidy_labels(database: Database) -> None:
    """Remove the labels of debates that are gone."""
    await database.write(_TIDY_LABELS)


# --- questions that came by other doors -----------------------------------------------------------

_ASKED_COLUMNS = "fingerprint, debate_id, asked_at, is_delivered, form"
# An update that changes nothing returns the row that is there.
_KEEP_ASKED = f"""
INSERT INTO asked AS a ({_ASKED_COLUMNS}) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (fingerprint) DO UPDATE SET
  debate_id = CASE WHEN a.debate_id = $6 THEN excluded.debate_id ELSE a.debate_id END,
  asked_at = CASE WHEN a.debate_id = $6 THEN excluded.asked_at ELSE a.asked_at END,
  is_delivered = CASE WHEN a.debate_id = $6 THEN excluded.is_delivered ELSE a.is_delivered END,
  form = CASE WHEN a.debate_id = $6 THEN excluded.form ELSE a.form END,
  attended_until = CASE WHEN a.debate_id = $6 THEN NULL ELSE a.attended_until END
RETURNING {_ASKED_COLUMNS}
"""
_ASKED_OF = f"SELECT {_ASKED_COLUMNS} FROM asked WHERE fingerprint = $1"
_DELIVER = "UPDATE asked SET is_delivered = true WHERE fingerprint = $1 AND debate_id = $2"
_KEEP_FORM = "UPDATE asked SET form = $3 WHERE fingerprint = $1 AND debate_id = $2"
_ATTEND = """
UPDATE asked SET attended_until = clock_timestamp() + make_interval(secs => $2)
WHERE debate_id = ANY($1)
"""
_LEAVE = "UPDATE asked SET attended_until = NULL WHERE debate_id = $1"
_UNATTENDED = """
SELECT DISTINCT debate_id FROM asked WHERE attended_until <= clock_timestamp()
ORDER BY debate_id LIMIT $1
"""


async def keep_asked(database: Database, asked: Asked, instead_of: str | None) -> Asked:
    values = (asked.fingerprint, asked.debate_id, utc(asked.at), asked.is_delivered, asked.form)
    return _read_asked(await database.write(_KEEP_ASKED, *values, instead_of)) or asked


async def asked_of(database: Database, fingerprint: str) -> Asked | None:
    return _read_asked(await database.read(_ASKED_OF, fingerprint))


def _read_asked(rows: Sequence[asyncpg.Record]) -> Asked | None:
    if not rows:
        return None
    fingerprint, debate_id, at, is_delivered, form = rows[0]
    return Asked(
        fingerprint=fingerprint,
        debate_id=debate_id,
        at=utc(at),
        is_delivered=is_delivered,
        form=form,
    )


async def deliver(database: Database, fingerprint: str, debate_id: str) -> None:
    await database.write(_DELIVER, fingerprint, debate_id)


async def keep_form(database: Database, fingerprint: str, debate_id: str, form: str) -> None:
    await database.write(_KEEP_FORM, fingerprint, debate_id, form)


async def attend(database: Database, debate_ids: Collection[str], seconds: float) -> None:
    await database.write(_ATTEND, sorted(debate_ids), seconds)


async def leave(database: Database, debate_id: str) -> None:
    await database.write(_LEAVE, debate_id)


async def unattended(database: Database, limit: int) -> list[str]:
    return [row["debate_id"] for row in await database.read(_UNATTENDED, limit)]
