"""The index of texts: a tsvector for each, as the `simple` configuration would make it.

Words are cut out by `moot.protocol.searching`, as everywhere, and not by Postgres' own parser,
whose idea of a word depends on the database's locale. They contain no punctuation, so nothing in a
query can be taken for syntax.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from moot.errors import MootError
from moot.protocol.events import Recorded
from moot.protocol.searching import FOUND_IN, MOST_INDEXED, Term, Wanted, text_of, words_of
from moot.store.backends.postgres.database import Database
from moot.store.pages import Filter, best_of
from moot.store.port import MOST_HITS, Found
from moot.store.rows import SUMMARY_COLUMNS, recorded, summary_of, utc

TITLE = 0
LONGEST = 100
"""The most characters of a word: Postgres refuses words of 2,048 bytes."""

TextRow = tuple[str, int, str]
"""A debate, the number of an event, and the words of its text as a tsvector is written."""

# ruff: noqa: S608 - built from the tables here, never from input
_MISSING = """
SELECT id FROM debates d
WHERE NOT EXISTS (SELECT FROM texts t WHERE t.debate_id = d.id AND t.seq = 0) LIMIT 16
"""
_TEXTS = """
SELECT seq, at, body FROM events WHERE debate_id = $1 AND type = ANY($2::text[]) ORDER BY seq
"""
_ADD = """
INSERT INTO texts (debate_id, seq, words)
SELECT debate_id, seq, words::tsvector
FROM unnest($1::text[], $2::bigint[], $3::text[]) AS t(debate_id, seq, words)
ON CONFLICT (debate_id, seq) DO UPDATE SET words = excluded.words
"""
_FOUND = f"""
SELECT {", ".join(SUMMARY_COLUMNS)} FROM debates
WHERE ($1::text IS NULL OR status = $1) AND ($2::text IS NULL OR format = $2)
  AND ($3::timestamptz IS NULL OR (created_at, id) < ($3, $4::text))
  {{}}
ORDER BY created_at DESC, id DESC LIMIT $5
"""
_MATCHING = "AND id IN (SELECT debate_id FROM texts WHERE words @@ (${}::text)::tsquery)"
_BEST = f"""
SELECT e.debate_id, e.seq, e.at, e.body FROM (
  SELECT debate_id, seq, count(*) AS number, row_number() OVER (
    PARTITION BY debate_id ORDER BY count(*) DESC, seq
  ) AS place
  FROM texts JOIN unnest($2::text[]) AS q(term) ON words @@ term::tsquery
  WHERE debate_id = ANY($1) AND seq > 1 GROUP BY debate_id, seq
) AS t JOIN events e USING (debate_id, seq)
WHERE place <= {MOST_HITS + 1} ORDER BY e.debate_id, t.number DESC, e.seq
"""


def texts_in(debate_id: str, records: Iterable[Recorded], title: str | None) -> list[TextRow]:
    """What goes into the index: the texts in `records`, and the title unless it is None."""
    rows = [] if title is None else [(debate_id, TITLE, vector(title))]
    texts = ((record.seq, text_of(record.event)) for record in records)
    return [*rows, *((debate_id, seq, vector(text)) for seq, text in texts if text)]


def vector(text: str) -> str:
    words = words_of(text[:MOST_INDEXED])
    return " ".join(f"'{word[:LONGEST]}':{place}" for place, word in enumerate(words, 1))


def columns(rows: Sequence[TextRow]) -> tuple[list[Any], ...]:
    """One list for each column, also if there are no rows."""
    return tuple([row[number] for row in rows] for number in range(3))


async def catch_up(database: Database) -> None:
    """Index all debates that an earlier version wrote, each in a transaction of its own."""
    while missing := await database.read(_MISSING):
        for row in missing:
            await _index(database, row["id"])


async def _index(database: Database, debate_id: str) -> None:
    async with database.transaction() as connection:
        # The lock lets nobody append to the debate, or rename it, until it is in the index.
        title = await connection.fetchval(
            "SELECT title FROM debates WHERE id = $1 FOR UPDATE", debate_id
        )
        if title is None:  # deleted meanwhile
            return
        rows = await connection.fetch(_TEXTS, debate_id, list(FOUND_IN))
        texts = texts_in(debate_id, _read(rows), title)
        await connection.execute(_ADD, *columns(texts))


def _read(rows: Iterable[Any]) -> Iterable[Recorded]:
    """The events; one that cannot be read has no text to find."""
    for row in rows:
        with suppress(msgspec.MsgspecError, MootError):
            yield recorded(row["seq"], row["at"], row["body"])


async def search(database: Database, wanted: Wanted, limits: Filter, count: int) -> list[Found]:
    after = (limits.after.created_at, limits.after.id) if limits.after else (None, None)
    clauses = " ".join(_MATCHING.format(number) for number in range(6, 6 + len(wanted)))
    terms = [_query(term) for term in wanted]
    values = (limits.status, limits.format, *after, count, *terms)
    found = await database.read(_FOUND.format(clauses), *values)
    summaries = [summary_of(tuple(row), utc) for row in found]
    hits: dict[str, list[Recorded]] = {}
    for row in await database.read(_BEST, [one.id for one in summaries], terms):
        hits.setdefault(row["debate_id"], []).extend(_read([row]))
    return [Found(row=one, hits=best_of(hits.get(one.id, ()), wanted)) for one in summaries]


def _query(term: Term) -> str:
    *firsts, last = (f"'{word[:LONGEST]}'" for word in term.words)
    return " <-> ".join([*firsts, f"{last}:*" if term.is_prefix else last])
