"""The SQL of the log, as constant texts: asyncpg prepares each once per connection.

Appends go in groups, as arrays with one element per append or per event: one statement, one round
trip, one commit. A refused append changes nothing and does not disturb the others of its group.
"""

from __future__ import annotations

from moot.store.rows import EVENT_COLUMNS, FIXED_COLUMNS, MOVING_COLUMNS, SUMMARY_COLUMNS

# ruff: noqa: S608 - built from the column tables of this package, never from input
_TYPES = {
    "at": "timestamptz",
    "created_at": "timestamptz",
    "updated_at": "timestamptz",
    "wake_at": "timestamptz",
    "cost_usd": "float8",
    **dict.fromkeys(("seq", "next_round", "turns", "statements", "calls"), "bigint"),
    **dict.fromkeys(("input_tokens", "output_tokens", "thought_tokens"), "bigint"),
    **dict.fromkeys(("expected", "fence", "most", "cast_size"), "bigint"),
    "statements_planned": "bigint",
    **dict.fromkeys(("seats", "outcome"), "json"),
    "has_open_cards": "boolean",
}


def _arrays(columns: tuple[str, ...], first: int) -> str:
    """`$4::text[], $5::bigint[] ...`: one array per column."""
    return ", ".join(
        f"${number}::{_TYPES.get(column, 'text')}[]" for number, column in enumerate(columns, first)
    )


def _assignments(columns: tuple[str, ...], source: str) -> str:
    return ", ".join(f"{column} = {source}.{column}" for column in columns)


APPEND_COLUMNS = ("id", "expected", "fence", *MOVING_COLUMNS, "most")
TEXT_COLUMNS = ("debate_id", "seq", "words")
_ROW_COLUMNS = FIXED_COLUMNS + MOVING_COLUMNS
_EVENTS = ", ".join(EVENT_COLUMNS)
_EVENT_VALUES = ", ".join(f"e.{column}" for column in EVENT_COLUMNS[:-1]) + ", e.body::json"

CHANNEL = "moot_log"
# One notification for a group: who appended, and lines of sequence number and id. Delivered when
# the append is committed, and not at all if it is not. Postgres refuses payloads of 8,000 bytes.
_TEXTS = len(APPEND_COLUMNS) + len(EVENT_COLUMNS) + 1
_ORIGIN = _TEXTS + len(TEXT_COLUMNS)
_NOTIFY = (
    f"pg_notify('{CHANNEL}', ${_ORIGIN}::text || E'\\n' || "
    "CASE WHEN octet_length(grown) < 7900 THEN grown ELSE '' END)"
)

# Rows are locked in the order of their ids, so that two groups cannot wait for one another.
APPEND = f"""
WITH wanted AS MATERIALIZED (
  SELECT * FROM unnest({_arrays(APPEND_COLUMNS, 1)}) AS w({", ".join(APPEND_COLUMNS)})
), locked AS MATERIALIZED (
  SELECT id, seq, fence FROM debates WHERE id = ANY($1) ORDER BY id FOR UPDATE
), advanced AS (
  UPDATE debates d SET {_assignments(MOVING_COLUMNS, "w")}, claims = least(d.claims, w.most)
  FROM wanted w JOIN locked l ON l.id = w.id
  WHERE d.id = w.id AND l.seq = w.expected AND (w.fence IS NULL OR l.fence = w.fence)
  RETURNING d.id, d.seq
), written AS (
  INSERT INTO events ({_EVENTS})
  SELECT {_EVENT_VALUES}
  FROM unnest({_arrays(EVENT_COLUMNS, len(APPEND_COLUMNS) + 1)}) AS e({_EVENTS})
  JOIN advanced a ON a.id = e.debate_id
), indexed AS (
  INSERT INTO texts (debate_id, seq, words)
  SELECT t.debate_id, t.seq, t.words::tsvector
  FROM unnest({_arrays(TEXT_COLUMNS, _TEXTS)}) AS t({", ".join(TEXT_COLUMNS)})
  JOIN advanced a ON a.id = t.debate_id
  JOIN texts title ON title.debate_id = t.debate_id AND title.seq = 0
  ON CONFLICT (debate_id, seq) DO UPDATE SET words = excluded.words
), told AS MATERIALIZED (
  SELECT {_NOTIFY} FROM (
    SELECT string_agg(seq || ' ' || id, E'\\n') AS grown FROM advanced
  ) AS news WHERE grown IS NOT NULL
)
SELECT l.id, l.seq, l.fence, a.id IS NOT NULL AS is_done
FROM locked l LEFT JOIN advanced a ON a.id = l.id LEFT JOIN told ON true
"""

CREATE = f"""
WITH debate AS (
  INSERT INTO debates ({", ".join(_ROW_COLUMNS)})
  SELECT * FROM unnest({_arrays(_ROW_COLUMNS, 1)})
), indexed AS (
  INSERT INTO texts (debate_id, seq, words)
  SELECT t.debate_id, t.seq, t.words::tsvector
  FROM unnest({_arrays(TEXT_COLUMNS, len(_ROW_COLUMNS) + len(EVENT_COLUMNS) + 1)})
    AS t({", ".join(TEXT_COLUMNS)})
)
INSERT INTO events ({_EVENTS})
SELECT {_EVENT_VALUES}
FROM unnest({_arrays(EVENT_COLUMNS, len(_ROW_COLUMNS) + 1)}) AS e({_EVENTS})
"""

REPAIR = f"""
UPDATE debates d SET {_assignments(_ROW_COLUMNS, "w")}
FROM unnest({_arrays(_ROW_COLUMNS, 1)}) AS w({", ".join(_ROW_COLUMNS)})
WHERE d.id = w.id AND w.seq = (SELECT max(seq) FROM events WHERE debate_id = w.id)
RETURNING d.id
"""

RETITLE = "UPDATE texts SET words = $2::text::tsvector WHERE debate_id = $1 AND seq = 0"

DELETE = f"""
WITH debate AS (
    DELETE FROM debates WHERE id = $1 AND seq = coalesce($2::bigint, seq) RETURNING id
  ), log AS (DELETE FROM events WHERE debate_id IN (SELECT id FROM debate))
  , words AS (DELETE FROM texts WHERE debate_id IN (SELECT id FROM debate))
  , link AS (DELETE FROM links WHERE debate_id IN (SELECT id FROM debate))
  , label AS (DELETE FROM labels WHERE debate_id IN (SELECT id FROM debate))
  , question AS (DELETE FROM asked WHERE debate_id IN (SELECT id FROM debate))
SELECT id, pg_notify(
  '{CHANNEL}', E'\\n' || CASE WHEN octet_length(id) < 7900 THEN '0 ' || id ELSE '' END
) FROM debate
"""

ENDS = "SELECT id, seq FROM debates WHERE id = ANY($1)"

READ = """
SELECT seq, at, body FROM events WHERE debate_id = $1 AND seq > $2 ORDER BY seq LIMIT $3
"""

SUMMARY = f"SELECT {', '.join(SUMMARY_COLUMNS)} FROM debates WHERE id = $1"

FIND = "SELECT id FROM debates WHERE id >= $1 AND id < $2 ORDER BY id LIMIT 10"

LIST = f"""
SELECT {", ".join(SUMMARY_COLUMNS)} FROM debates
WHERE ($1::text IS NULL OR status = $1) AND ($2::text IS NULL OR format = $2)
  AND ($3::text = '' OR strpos(topic_folded, $3) > 0 OR strpos(title_folded, $3) > 0)
  AND ($4::timestamptz IS NULL OR (created_at, id) < ($4, $5::text))
  AND ($7::text IS NULL OR left(origin || '/', length($7) + 1) = $7 || '/')
ORDER BY created_at DESC, id DESC LIMIT $6
"""

HEARINGS = f"""
SELECT {", ".join(SUMMARY_COLUMNS)} FROM debates WHERE hears = $1 AND hears <> ''
ORDER BY created_at DESC, id DESC LIMIT $2
"""
