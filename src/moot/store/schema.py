"""The tables as they are today. `migrations/` leads to exactly this, and a test proves it.

No foreign key ties events to debates: an append updates the debate's row and inserts its events in
one transaction, so an orphan cannot come about, and the check would be paid for on every append.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Double,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    false,
    text,
)
from sqlalchemy.types import TypeEngine

metadata = MetaData()

# Byte order, so that prefixes and pages come in the same order from both databases.
_key = Text().with_variant(Text(collation="C"), "postgresql")
# SQLite has no type for times; ISO text in UTC with microseconds sorts as the instants do.
_time = Text().with_variant(DateTime(timezone=True), "postgresql")
# `json`, not `jsonb`: the text comes back byte for byte.
_json = Text().with_variant(JSON(), "postgresql")
# Postgres' own clock, or seconds of the machine's monotonic clock.
_lease_time: TypeEngine[Any] = Double().with_variant(DateTime(timezone=True), "postgresql")

debates = Table(
    "debates",
    metadata,
    Column("id", _key, primary_key=True),
    Column("format", Text, nullable=False),
    Column("topic", Text, nullable=False),
    # Case folded by Python: databases disagree about letters beyond ASCII.
    Column("topic_folded", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("stage", Text),
    Column("next_round", BigInteger),
    Column("next_actor", Text),
    Column("stop_reason", Text),
    Column("turns", BigInteger, nullable=False),
    Column("statements", BigInteger, nullable=False),
    Column("calls", BigInteger, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cost_usd", Double),
    Column("created_at", _time, nullable=False),
    Column("updated_at", _time, nullable=False),
    Column("owner", Text),
    Column("fence", BigInteger, nullable=False, server_default=text("0")),
    # Claims in a row that had begun to run the debate, were not released and got it no further;
    # from SUSPECT_AFTER on, deaths of processes of its own.
    Column("claims", BigInteger, nullable=False, server_default=text("0")),
    # When a debate that waits has to be looked at again.
    Column("wake_at", _time),
    # Since when its owner has it, and when a debate in quarantine is tried again.
    Column("claimed_at", _time),
    Column("next_try_at", _time),
    # The part of output_tokens that was only thought.
    Column("thought_tokens", BigInteger, nullable=False, server_default=text("0")),
    # What somebody has called it, if anything; and the same case folded, as the topic is.
    Column("title", Text, nullable=False, server_default=text("''")),
    Column("title_folded", Text, nullable=False, server_default=text("''")),
    # Who takes part, or the first of them, and how many there are. NULL in a row of an earlier
    # revision that nobody has listed since: nothing from here on is known of its debate.
    Column("seats", _json),
    Column("cast_size", BigInteger, nullable=False, server_default=text("0")),
    # In short.
    Column("outcome", _json),
    Column("has_open_cards", Boolean, nullable=False, server_default=false()),
    Column("spoke_last", Text, nullable=False, server_default=text("''")),
    Column("forked_from", Text, nullable=False, server_default=text("''")),
    Column("rematch_of", Text, nullable=False, server_default=text("''")),
    # By which door it came, if not by an ordinary one: `import/file`.
    Column("origin", Text, nullable=False, server_default=text("''")),
    # NULL too in a row of an earlier revision to which nothing was appended since.
    Column("statements_planned", BigInteger),
)
Index("debates_by_age", debates.c.created_at, debates.c.id)
Index("debates_by_status", debates.c.status, debates.c.created_at, debates.c.id)
Index(
    "debates_by_owner",
    debates.c.owner,
    sqlite_where=debates.c.owner.is_not(None),
    postgresql_where=debates.c.owner.is_not(None),
)
Index(
    "debates_by_waking",
    debates.c.wake_at,
    sqlite_where=debates.c.wake_at.is_not(None),
    postgresql_where=debates.c.wake_at.is_not(None),
)

events = Table(
    "events",
    metadata,
    Column("debate_id", _key, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("at", _time, nullable=False),
    Column("type", Text, nullable=False),
    Column("step_key", Text),
    Column("body", _json, nullable=False),
)
Index(
    "events_step_key",
    events.c.debate_id,
    events.c.step_key,
    unique=True,
    sqlite_where=events.c.step_key.is_not(None),
    postgresql_where=events.c.step_key.is_not(None),
)

workers = Table(
    "workers",
    metadata,
    Column("id", Text, primary_key=True),
    Column("machine", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("started", Text, nullable=False),
    # Which start of the machine a monotonic time belongs to; empty where the database keeps time.
    Column("boot", Text, nullable=False),
    Column("alive_until", _lease_time, nullable=False),
    # Ran out, and somebody has taken over one of its debates: it may not come back.
    Column("is_superseded", Boolean, nullable=False, server_default=false()),
)

# What debates were given to read, once for all of them; nothing here is ever changed.
attachments = Table(
    "attachments",
    metadata,
    Column("sha256", _key, primary_key=True),
    Column("content", Text, nullable=False),
)

attached = Table(
    "attached",
    metadata,
    Column("debate_id", _key, primary_key=True),
    Column("sha256", _key, primary_key=True),
)
Index("attached_by_hash", attached.c.sha256)

# By which strangers may read a debate: one for each, of which the token is the whole secret.
links = Table(
    "links",
    metadata,
    Column("debate_id", _key, primary_key=True),
    Column("token", _key, nullable=False),
    Column("has_private", Boolean, nullable=False),
    Column("made_at", _time, nullable=False),
)
Index("links_by_token", links.c.token, unique=True)

# The index of texts. In Postgres the row of the title, event 0, says that a debate is in it. The
# index of SQLite is made when a file is opened (`backends.sqlite.searching`), for there are builds
# that cannot have one; here is which debates are in it, each with a number never used again.
TEXTS = {
    "sqlite": (
        """\
CREATE TABLE indexed_debates (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  debate_id TEXT NOT NULL UNIQUE
)""",
    ),
    "postgresql": (
        """\
CREATE TABLE texts (
  debate_id TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  words TSVECTOR NOT NULL,
  PRIMARY KEY (debate_id, seq)
)""",
        "CREATE INDEX texts_by_words ON texts USING gin (words)",
    ),
}

# For people who look with SQL; the product itself never reads it. Whether a turn is included now is
# decided by later events, so that is not a column.
TURNS_VIEW = {
    "sqlite": """\
CREATE VIEW turns AS
SELECT debate_id, seq, at, step_key,
  json_extract(body, '$.stage') AS stage,
  json_extract(body, '$.round') AS round,
  json_extract(body, '$.participant') AS participant,
  json_extract(body, '$.kind') AS kind,
  json_extract(body, '$.visibility') AS visibility,
  json_extract(body, '$.content') AS content,
  json_extract(body, '$.data') AS data,
  coalesce(json_extract(body, '$.prompt'), '') AS prompt,
  coalesce(json_extract(body, '$.model'), '') AS model,
  coalesce(json_extract(body, '$.usage.input_tokens'), 0) AS input_tokens,
  coalesce(json_extract(body, '$.usage.output_tokens'), 0) AS output_tokens,
  json_extract(body, '$.usage.cost_usd') AS cost_usd,
  coalesce(json_extract(body, '$.duration_ms'), 0) AS duration_ms,
  coalesce(json_extract(body, '$.attempts'), 1) AS attempts,
  coalesce(json_extract(body, '$.finish'), 'stop') AS finish,
  coalesce(json_extract(body, '$.usage.thought_tokens'), 0) AS thought_tokens
FROM events WHERE type = 'TurnRecorded'""",
    "postgresql": """\
CREATE VIEW turns AS
SELECT debate_id, seq, at, step_key,
  body->>'stage' AS stage,
  (body->>'round')::bigint AS round,
  body->>'participant' AS participant,
  body->>'kind' AS kind,
  body->>'visibility' AS visibility,
  body->>'content' AS content,
  body->'data' AS data,
  coalesce(body->>'prompt', '') AS prompt,
  coalesce(body->>'model', '') AS model,
  coalesce((body->'usage'->>'input_tokens')::bigint, 0) AS input_tokens,
  coalesce((body->'usage'->>'output_tokens')::bigint, 0) AS output_tokens,
  (body->'usage'->>'cost_usd')::double precision AS cost_usd,
  coalesce((body->>'duration_ms')::bigint, 0) AS duration_ms,
  coalesce((body->>'attempts')::bigint, 1) AS attempts,
  coalesce(body->>'finish', 'stop') AS finish,
  coalesce((body->'usage'->>'thought_tokens')::bigint, 0) AS thought_tokens
FROM events WHERE type = 'TurnRecorded'""",
}
