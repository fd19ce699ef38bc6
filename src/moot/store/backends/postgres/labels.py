"""What people say of debates, in SQL."""

from __future__ import annotations

from collections.abc import Collection

from moot.errors import NotFound
from moot.store.backends.postgres.database import Database
from moot.store.port import Label
from moot.store.rows import utc

# ruff: noqa: S608 - built from the columns here, never from input
_COLUMNS = "debate_id, by, winner, note, at"
# The lock lets nobody delete the debate meanwhile: its label would outlive it.
_KEEP = f"""
INSERT INTO labels ({_COLUMNS})
SELECT id, $2::text, $3::text, $4::text, $5::timestamptz FROM debates WHERE id = $1 FOR SHARE
ON CONFLICT (debate_id, by) DO UPDATE SET
  winner = excluded.winner, note = excluded.note, at = excluded.at
RETURNING debate_id
"""
_OF = f"""
SELECT {_COLUMNS} FROM labels WHERE $1::text[] IS NULL OR debate_id = ANY($1)
ORDER BY debate_id, by
"""
_REMOVE = "DELETE FROM labels WHERE debate_id = $1 AND by = $2 RETURNING debate_id"
# As with links: a label that was given in the very moment of a deletion is not seen by it.
_TIDY = "DELETE FROM labels l WHERE NOT EXISTS (SELECT 1 FROM debates d WHERE d.id = l.debate_id)"


async def keep(database: Database, label: Label) -> None:
    values = (label.debate_id, label.by, label.winner, label.note, utc(label.at))
    if not await database.write(_KEEP, *values):
        message = f"there is no debate {label.debate_id!r}"
        raise NotFound(message)


async def remove(database: Database, debate_id: str, by: str) -> bool:
    return bool(await database.write(_REMOVE, debate_id, by))


async def of(database: Database, debate_ids: Collection[str] | None) -> tuple[Label, ...]:
    wanted = None if debate_ids is None else sorted(debate_ids)
    return tuple(
        Label(debate_id=debate_id, by=by, winner=winner, note=note, at=utc(at))
        for debate_id, by, winner, note, at in await database.read(_OF, wanted)
    )


async def tidy(database: Database) -> None:
    """Remove the labels of debates that are gone."""
    await database.write(_TIDY)
