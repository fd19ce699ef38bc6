-- Which debate a question became that came by another door, so that the same question asked again
-- does not become a second one. `attended_until` is by the machine's monotonic clock since `boot`,
-- and NULL if nobody has to wait for the debate to go on.

CREATE TABLE asked (
    fingerprint TEXT NOT NULL,
    debate_id TEXT NOT NULL,
    asked_at TEXT NOT NULL,
    is_delivered BOOLEAN NOT NULL,
    attended_until DOUBLE,
    boot TEXT DEFAULT '' NOT NULL,
    PRIMARY KEY (fingerprint)
);

CREATE INDEX asked_by_debate ON asked (debate_id);
