-- How many of a debate's output tokens were spent on thoughts, counted from its log, and the same
-- for each turn in the view. Logs from before thoughts were counted have none: their rows keep 0.

ALTER TABLE debates ADD COLUMN thought_tokens BIGINT DEFAULT 0 NOT NULL;

UPDATE debates SET thought_tokens = coalesce((
  SELECT sum((body->'usage'->>'thought_tokens')::bigint) FROM events
  WHERE debate_id = debates.id AND strpos(body::text, '"thought_tokens"') > 0
), 0) WHERE output_tokens > 0;

DROP VIEW turns;

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
FROM events WHERE type = 'TurnRecorded';
