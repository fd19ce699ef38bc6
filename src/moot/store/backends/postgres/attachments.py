"""The texts that debates were given to read, in SQL.

Rows of texts are locked before anybody decides on them, so that a file is not removed with its last
debate while the next one takes it up.
"""

from __future__ import annotations

from collections.abc import Mapping

from moot.errors import NotFound
from moot.store.backends.postgres.database import Connection, Database

# The update changes nothing, but it locks the row; or, if somebody is just deleting that row, it
# waits and writes it anew.
_KEEP = """
INSERT INTO attachments (sha256, content)
SELECT * FROM unnest($1::text[], $2::text[]) AS f(sha256, content) ORDER BY sha256
ON CONFLICT (sha256) DO UPDATE SET sha256 = excluded.sha256
"""
_LOCK = "SELECT sha256 FROM attachments WHERE sha256 = ANY($1) ORDER BY sha256 FOR UPDATE"
_ATTACH = (
    "INSERT INTO attached (debate_id, sha256) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING"
)
_FILES = """
SELECT sha256, content FROM attachments JOIN attached USING (sha256) WHERE debate_id = $1
"""
# Of all debates that are gone: if a process died after deleting one, the next deletion tidies up.
_DETACH = """
DELETE FROM attached a WHERE NOT EXISTS (SELECT 1 FROM debates d WHERE d.id = a.debate_id)
RETURNING sha256
"""
_UNUSED = """
DELETE FROM attachments f WHERE f.sha256 = ANY($1)
AND NOT EXISTS (SELECT 1 FROM attached a WHERE a.sha256 = f.sha256)
"""


async def attach(connection: Connection, debate_id: str, wanted: Mapping[str, str | None]) -> None:
    """Keep the texts that came along, and note that the debate has all of them."""
    texts = {sha256: text for sha256, text in wanted.items() if text is not None}
    if texts:
        await connection.execute(_KEEP, list(texts), list(texts.values()))
    found = {row["sha256"] for row in await connection.fetch(_LOCK, list(wanted))}
    for sha256 in wanted:
        if sha256 not in found:
            message = f"the file with the hash {sha256} is not there any more"
            raise NotFound(message)
    await connection.execute(_ATTACH, debate_id, list(wanted))


async def files(database: Database, debate_id: str) -> dict[str, str]:
    rows = await database.read(_FILES, debate_id)
    return {row["sha256"]: row["content"] for row in rows}


async def tidy(database: Database) -> None:
    """Remove the notes of debates that are gone, and the texts that no debate has any more."""
    async with database.transaction() as connection:
        rows = await connection.fetch(_DETACH)
        if rows:
            found = sorted({row["sha256"] for row in rows})
            await connection.fetch(_LOCK, found)
            await connection.execute(_UNUSED, found)
