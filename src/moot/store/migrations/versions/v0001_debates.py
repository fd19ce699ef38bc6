"""The first schema: debates, their events, the workers that hold them, and the view `turns`."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_key = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_time = sa.Text().with_variant(sa.DateTime(timezone=True), "postgresql")
_json = sa.Text().with_variant(sa.JSON(), "postgresql")
_lease_time: sa.types.TypeEngine[Any] = sa.Double().with_variant(
    sa.DateTime(timezone=True), "postgresql"
)

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
  coalesce(json_extract(body, '$.finish'), 'stop') AS finish
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
  coalesce(body->>'finish', 'stop') AS finish
FROM events WHERE type = 'TurnRecorded'""",
}


def upgrade() -> None:
    _create_debates()
    _create_events()
    _create_workers()
    op.execute(TURNS_VIEW[op.get_context().dialect.name])


def _create_debates() -> None:
    op.create_table(
        "debates",
        sa.Column("id", _key, primary_key=True),
        sa.Column("format", sa.Text, nullable=False),
        sa.Column("topic", sa.Text, nullable=False),
        sa.Column("topic_folded", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("stage", sa.Text),
        sa.Column("next_round", sa.BigInteger),
        sa.Column("next_actor", sa.Text),
        sa.Column("stop_reason", sa.Text),
        sa.Column("turns", sa.BigInteger, nullable=False),
        sa.Column("statements", sa.BigInteger, nullable=False),
        sa.Column("calls", sa.BigInteger, nullable=False),
        sa.Column("input_tokens", sa.BigInteger, nullable=False),
        sa.Column("output_tokens", sa.BigInteger, nullable=False),
        sa.Column("cost_usd", sa.Double),
        sa.Column("created_at", _time, nullable=False),
        sa.Column("updated_at", _time, nullable=False),
        sa.Column("owner", sa.Text),
        sa.Column("fence", sa.BigInteger, nullable=False, server_default=sa.text("0")),
        sa.Column("claims", sa.BigInteger, nullable=False, server_default=sa.text("0")),
    )
    op.create_index("debates_by_age", "debates", ["created_at", "id"])
    op.create_index("debates_by_status", "debates", ["status", "created_at", "id"])
    owned = sa.text("owner IS NOT NULL")
    op.create_index(
        "debates_by_owner", "debates", ["owner"], sqlite_where=owned, postgresql_where=owned
    )


def _create_events() -> None:
    op.create_table(
        "events",
        sa.Column("debate_id", _key, primary_key=True),
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("at", _time, nullable=False),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("step_key", sa.Text),
        sa.Column("body", _json, nullable=False),
    )
    keyed = sa.text("step_key IS NOT NULL")
    op.create_index(
        "events_step_key",
        "events",
        ["debate_id", "step_key"],
        unique=True,
        sqlite_where=keyed,
        postgresql_where=keyed,
    )


def _create_workers() -> None:
    op.create_table(
        "workers",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("machine", sa.Text, nullable=False),
        sa.Column("pid", sa.Integer, nullable=False),
        sa.Column("started", sa.Text, nullable=False),
        sa.Column("boot", sa.Text, nullable=False),
        sa.Column("alive_until", _lease_time, nullable=False),
        sa.Column("is_superseded", sa.Boolean, nullable=False, server_default=sa.false()),
    )
