"""Questions that came by other doors, in SQL. Attendance is timed by the database's own clock."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import asyncpg

from moot.store.backends.postgres.database import Database
from moot.store.port import Asked
from moot.store.rows import utc

# ruff: noqa: S608 - built from the columns here, never from input
_COLUMNS = "fingerprint, debate_id, asked_at, is_delivered, form"
# An update that changes nothing returns the row that is there.
_KEEP = f"""
INSERT INTO asked AS a ({_COLUMNS}) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (fingerprint) DO UPDATE SET
  debate_id = CASE WHEN a.debate_id = $6 THEN excluded.debate_id ELSE a.debate_id END,
  asked_at = CASE WHEN a.debate_id = $6 THEN excluded.asked_at ELSE a.asked_at END,
  is_delivered = CASE WHEN a.debate_id = $6 THEN excluded.is_delivered ELSE a.is_delivered END,
  form = CASE WHEN a.debate_id = $6 THEN excluded.form ELSE a.form END,
  attended_until = CASE WHEN a.debate_id = $6 THEN NULL ELSE a.attended_until END
RETURNING {_COLUMNS}
"""
_OF = f"SELECT {_COLUMNS} FROM asked WHERE fingerprint = $1"
_DELIVERED = "UPDATE asked SET is_delivered = true WHERE fingerprint = $1 AND debate_id = $2"
_FORM = "UPDATE asked SET form = $3 WHERE fingerprint = $1 AND debate_id = $2"
_ATTEND = """
UPDATE asked SET attended_until = clock_timestamp() + make_interval(secs => $2)
WHERE debate_id = ANY($1)
"""
_LEAVE = "UPDATE asked SET attended_until = NULL WHERE debate_id = $1"
_UNATTENDED = """
SELECT DISTINCT debate_id FROM asked WHERE attended_until <= clock_timestamp()
ORDER BY debate_id LIMIT $1
"""


async def keep(database: Database, asked: Asked, instead_of: str | None) -> Asked:
    values = (asked.fingerprint, asked.debate_id, utc(asked.at), asked.is_delivered, asked.form)
    return _read(await database.write(_KEEP, *values, instead_of)) or asked


async def of(database: Database, fingerprint: str) -> Asked | None:
    return _read(await database.read(_OF, fingerprint))


def _read(rows: Sequence[asyncpg.Record]) -> Asked | None:
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
    await database.write(_DELIVERED, fingerprint, debate_id)


async def keep_form(database: Database, fingerprint: str, debate_id: str, form: str) -> None:
    await database.write(_FORM, fingerprint, debate_id, form)


async def attend(database: Database, debate_ids: Collection[str], seconds: float) -> None:
    await database.write(_ATTEND, sorted(debate_ids), seconds)


async def leave(database: Database, debate_id: str) -> None:
    await database.write(_LEAVE, debate_id)


async def unattended(database: Database, limit: int) -> list[str]:
    return [row["debate_id"] for row in await database.read(_UNATTENDED, limit)]
