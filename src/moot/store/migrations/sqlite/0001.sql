-- The first schema: debates, their events, the workers that hold them, and the view `turns`.
-- SQLite has no type for times: ISO text in UTC with microseconds sorts as the instants do. Leases
-- end at seconds of the machine's monotonic clock.

-- The revision number, under a name of our own: the database may hold other applications' tables.
CREATE TABLE moot_revision (
    version_num VARCHAR(32) NOT NULL,
    CONSTRAINT moot_revision_pkc PRIMARY KEY (version_num)
);

-- `topic_folded` is case folded by Python: databases disagree about letters beyond ASCII.
-- `claims` counts claims in a row that had begun to run the debate, were not released and got it no
-- further; from SUSPECT_AFTER on, deaths of processes of its own.
CREATE TABLE debates (
    id TEXT NOT NULL,
    format TEXT NOT NULL,
    topic TEXT NOT NULL,
    topic_folded TEXT NOT NULL,
    status TEXT NOT NULL,
    seq BIGINT NOT NULL,
    stage TEXT,
    next_round BIGINT,
    next_actor TEXT,
    stop_reason TEXT,
    turns BIGINT NOT NULL,
    statements BIGINT NOT NULL,
    calls BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cost_usd DOUBLE,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    owner TEXT,
    fence BIGINT DEFAULT 0 NOT NULL,
    claims BIGINT DEFAULT 0 NOT NULL,
    PRIMARY KEY (id)
);

CREATE INDEX debates_by_age ON debates (created_at, id);

CREATE INDEX debates_by_status ON debates (status, created_at, id);

CREATE INDEX debates_by_owner ON debates (owner) WHERE owner IS NOT NULL;

-- No foreign key ties events to debates: an append updates the debate's row and inserts its events
-- in one transaction, so there are no orphans, and every append would pay for the check.
CREATE TABLE events (
    debate_id TEXT NOT NULL,
    seq BIGINT NOT NULL,
    at TEXT NOT NULL,
    type TEXT NOT NULL,
    step_key TEXT,
    body TEXT NOT NULL,
    PRIMARY KEY (debate_id, seq)
);

CREATE UNIQUE INDEX events_step_key ON events (debate_id, step_key) WHERE step_key IS NOT NULL;

-- `boot` says which start of the machine a monotonic time belongs to, and is empty where the
-- database keeps the time. A worker is superseded when its lease ran out and another took over one
-- of its debates: it may not come back.
CREATE TABLE workers (
    id TEXT NOT NULL,
    machine TEXT NOT NULL,
    pid INTEGER NOT NULL,
    started TEXT NOT NULL,
    boot TEXT NOT NULL,
    alive_until DOUBLE NOT NULL,
    is_superseded BOOLEAN DEFAULT 0 NOT NULL,
    PRIMARY KEY (id)
);

-- For people who look with SQL; Moot itself never reads it. Later events decide whether a turn is
-- included, so that is not a column.
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
FROM events WHERE type = 'TurnRecorded';
