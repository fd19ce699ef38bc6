"""The log and its summaries in SQL, and the task that commits appends.

The statements are constant texts: asyncpg prepares each once per connection. Appends that wait at
the same time go in groups, as arrays with one element per append or per event: one statement, one
round trip, one commit. A refused append changes nothing and does not disturb the others of its
group.

Nobody may be told "written" before the commit is acknowledged, nobody may wait for a task that has
died, and two appends of one debate never share a group: the second must see the first.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import asyncpg
import msgspec

from moot.errors import Conflict, InvalidInput, LeaseLost, MootError, NotFound, StoreUnavailable
from moot.store.backends.postgres.database import Database
from moot.store.backends.postgres.searching import TextRow, columns
from moot.store.rows import EVENT_COLUMNS, FIXED_COLUMNS, MOVING_COLUMNS, SUMMARY_COLUMNS, EventRow

MOST_AT_ONCE = 128
BROKEN = "what writes to the database has broken: start again"


# --- statements -----------------------------------------------------------------------------------


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


def _typed(columns: tuple[str, ...], first: int) -> str:
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
  SELECT * FROM unnest({_typed(APPEND_COLUMNS, 1)}) AS w({", ".join(APPEND_COLUMNS)})
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
  FROM unnest({_typed(EVENT_COLUMNS, len(APPEND_COLUMNS) + 1)}) AS e({_EVENTS})
  JOIN advanced a ON a.id = e.debate_id
), indexed AS (
  INSERT INTO texts (debate_id, seq, words)
  SELECT t.debate_id, t.seq, t.words::tsvector
  FROM unnest({_typed(TEXT_COLUMNS, _TEXTS)}) AS t({", ".join(TEXT_COLUMNS)})
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
  SELECT * FROM unnest({_typed(_ROW_COLUMNS, 1)})
), indexed AS (
  INSERT INTO texts (debate_id, seq, words)
  SELECT t.debate_id, t.seq, t.words::tsvector
  FROM unnest({_typed(TEXT_COLUMNS, len(_ROW_COLUMNS) + len(EVENT_COLUMNS) + 1)})
    AS t({", ".join(TEXT_COLUMNS)})
)
INSERT INTO events ({_EVENTS})
SELECT {_EVENT_VALUES}
FROM unnest({_typed(EVENT_COLUMNS, len(_ROW_COLUMNS) + 1)}) AS e({_EVENTS})
"""

REPAIR = f"""
UPDATE debates d SET {_assignments(_ROW_COLUMNS, "w")}
FROM unnest({_typed(_ROW_COLUMNS, 1)}) AS w({", ".join(_ROW_COLUMNS)})
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


# --- appends --------------------------------------------------------------------------------------


class Append(msgspec.Struct, frozen=True, kw_only=True):
    """One caller's events with the words to index, the new values of the debate's row, and what
    must hold for them to be written."""

    debate_id: str
    events: Sequence[EventRow]
    texts: Sequence[TextRow]
    values: tuple[Any, ...]
    fence: int | None
    future: asyncio.Future[None]

    @property
    def expected(self) -> int:
        return self.events[0][1] - 1


class Appender:
    """Collects appends while a group is under way, then commits them as the next group."""

    def __init__(self, database: Database, origin: str) -> None:
        self._database = database
        self._origin = origin
        self._waiting: deque[Append] = deque()
        self._news = asyncio.Event()
        self._is_closed = False
        self._task = asyncio.create_task(self._run(), name="moot-store-appender")

    async def append(
        self,
        events: Sequence[EventRow],
        texts: Sequence[TextRow],
        values: tuple[Any, ...],
        fence: int | None,
    ) -> None:
        if self._task.done():
            raise StoreUnavailable(BROKEN)
        if self._is_closed:
            raise StoreUnavailable("the store is closed: open it again")
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        wanted = Append(
            debate_id=events[0][0],
            events=events,
            texts=texts,
            values=values,
            fence=fence,
            future=future,
        )
        self._waiting.append(wanted)
        self._news.set()
        await future

    async def until_broken(self) -> None:
        """Waits as long as the task lives; raises what it died of."""
        await asyncio.shield(self._task)

    async def close(self) -> None:
        """Write what is still waiting, then end."""
        self._is_closed = True
        self._news.set()
        with suppress(asyncio.CancelledError, Exception):  # if it broke, that has been told
            await self._task

    async def _run(self) -> None:
        group: list[Append] = []
        try:
            while self._waiting or not self._is_closed:
                await self._news.wait()
                self._news.clear()
                while self._waiting:
                    group = self._next_group()
                    await self._commit(group)
        finally:
            for wanted in (*group, *self._waiting):  # those of the last group have been told
                _settle(wanted, StoreUnavailable(BROKEN))

    def _next_group(self) -> list[Append]:
        """The oldest, at most one of each debate; the others keep their order."""
        group: dict[str, Append] = {}
        later: list[Append] = []
        while self._waiting and len(group) < MOST_AT_ONCE:
            wanted = self._waiting.popleft()
            if wanted.debate_id in group:
                later.append(wanted)
            else:
                group[wanted.debate_id] = wanted
        self._waiting.extendleft(reversed(later))
        return list(group.values())

    async def _commit(self, group: list[Append]) -> None:
        try:
            rows = await self._database.write(APPEND, *_arrays(group), self._origin)
        except (Conflict, InvalidInput) as error:
            # Nothing was written, because one of the step keys is taken: find out which one.
            if len(group) == 1:
                _settle(group[0], error)
                return
            for wanted in group:
                await self._commit([wanted])
        except Exception as error:  # noqa: BLE001 - told to those who wait; the task must live on
            for wanted in group:
                _settle(wanted, error)
        else:
            found = {row["id"]: row for row in rows}
            for wanted in group:
                _settle(wanted, _refusal(wanted, found.get(wanted.debate_id)))


def _arrays(group: list[Append]) -> list[Sequence[Any]]:
    """The columns of the group, then the columns of its events, then those of its texts."""
    rows = [(wanted.debate_id, wanted.expected, wanted.fence, *wanted.values) for wanted in group]
    events = [event for wanted in group for event in wanted.events]
    texts = [text for wanted in group for text in wanted.texts]
    return [*zip(*rows, strict=True), *zip(*events, strict=True), *columns(texts)]


def _refusal(wanted: Append, row: asyncpg.Record | None) -> MootError | None:
    if row is None:
        return NotFound(f"there is no debate {wanted.debate_id!r}")
    if row["is_done"]:
        return None
    if wanted.fence is not None and wanted.fence != row["fence"]:
        return LeaseLost(
            f"debate {wanted.debate_id!r} has fence {row['fence']} and not {wanted.fence}: "
            "it was taken over"
        )
    return Conflict(
        f"the log of debate {wanted.debate_id!r} ends at {row['seq']} and not at {wanted.expected}"
    )


def _settle(wanted: Append, error: Exception | None) -> None:
    if wanted.future.done():  # its task was cancelled meanwhile
        return
    if error is None:
        wanted.future.set_result(None)
    else:
        wanted.future.set_exception(error)
