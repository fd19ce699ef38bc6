"""The links by which strangers may read debates, in SQL."""

from __future__ import annotations

from collections.abc import Sequence

import asyncpg

from moot.errors import NotFound
from moot.store.backends.postgres.database import Database
from moot.store.port import Link
from moot.store.rows import utc

# ruff: noqa: S608 - built from the columns here, never from input
_COLUMNS = "debate_id, token, has_private, made_at"
# The lock lets nobody delete the debate meanwhile: its link would outlive it. The update changes
# nothing, but it returns the row that is there.
_KEEP = f"""
INSERT INTO links ({_COLUMNS})
SELECT id, $2::text, $3::boolean, $4::timestamptz FROM debates WHERE id = $1 FOR SHARE
ON CONFLICT (debate_id) DO UPDATE SET debate_id = excluded.debate_id
RETURNING {_COLUMNS}
"""
_OF = f"SELECT {_COLUMNS} FROM links WHERE debate_id = $1"
_BY = f"SELECT {_COLUMNS} FROM links WHERE token = $1"
_REVOKE = "DELETE FROM links WHERE debate_id = $1 RETURNING debate_id"
# A link goes with its debate. One that was made in that very moment is not seen by the deletion,
# and goes now, or, if the process dies before, with the next debate that is deleted.
_TIDY = "DELETE FROM links l WHERE NOT EXISTS (SELECT 1 FROM debates d WHERE d.id = l.debate_id)"


async def share(database: Database, link: Link) -> Link:
    values = (link.debate_id, link.token, link.has_private, utc(link.made_at))
    found = _read(await database.write(_KEEP, *values))
    if found is None:
        message = f"there is no debate {link.debate_id!r}"
        raise NotFound(message)
    return found


async def of(database: Database, debate_id: str) -> Link | None:
    return _read(await database.read(_OF, debate_id))


async def by(database: Database, token: str) -> Link | None:
    return _read(await database.read(_BY, token))


def _read(rows: Sequence[asyncpg.Record]) -> Link | None:
    if not rows:
        return None
    debate_id, token, has_private, made_at = rows[0]
    return Link(debate_id=debate_id, token=token, has_private=has_private, made_at=utc(made_at))


async def revoke(database: Database, debate_id: str) -> bool:
    return bool(await database.write(_REVOKE, debate_id))


async def tidy(database: Database) -> None:
    """Remove the links of debates that are gone."""
    await database.write(_TIDY)
