"""How many of a debate's tokens were only thought, counted from its log; for SQL users, of a turn.

Logs that were written before thoughts were counted have none, and a row keeps its 0.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

# Turns, failed attempts and look-ups all have their usage in the same place.
COUNTED = {
    "sqlite": """\
UPDATE debates SET thought_tokens = coalesce((
  SELECT sum(json_extract(body, '$.usage.thought_tokens')) FROM events
  WHERE debate_id = debates.id AND instr(body, '"thought_tokens"')
), 0) WHERE output_tokens > 0""",
    "postgresql": """\
UPDATE debates SET thought_tokens = coalesce((
  SELECT sum((body->'usage'->>'thought_tokens')::bigint) FROM events
  WHERE debate_id = debates.id AND strpos(body::text, '"thought_tokens"') > 0
), 0) WHERE output_tokens > 0""",
}

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


def upgrade() -> None:
    dialect = op.get_context().dialect.name
    op.add_column(
        "debates",
        sa.Column("thought_tokens", sa.BigInteger, nullable=False, server_default=sa.text("0")),
    )
    op.execute(COUNTED[dialect])
    op.execute("DROP VIEW turns")
    op.execute(TURNS_VIEW[dialect])
