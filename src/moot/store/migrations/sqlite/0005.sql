-- How many of a debate's output tokens were spent on thoughts, counted from its log, and the same
-- for each turn in the view. Logs from before thoughts were counted have none: their rows keep 0.

ALTER TABLE debates ADD COLUMN thought_tokens BIGINT DEFAULT 0 NOT NULL;

UPDATE debates SET thought_tokens = coalesce((
  SELECT sum(json_extract(body, '$.usage.thought_tokens')) FROM events
  WHERE debate_id = debates.id AND instr(body, '"thought_tokens"')
), 0) WHERE output_tokens > 0;

DROP VIEW turns;

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
FROM events WHERE type = 'TurnRecorded';
