-- Which debate a question became that came by another door, so that the same question asked again
-- does not become a second one. `attended_until` is NULL if nobody has to wait for the debate to go
-- on; `boot` is for SQLite, which knows no time that all machines share.

CREATE TABLE asked (
    fingerprint TEXT COLLATE "C" NOT NULL,
    debate_id TEXT COLLATE "C" NOT NULL,
    asked_at TIMESTAMP WITH TIME ZONE NOT NULL,
    is_delivered BOOLEAN NOT NULL,
    attended_until TIMESTAMP WITH TIME ZONE,
    boot TEXT DEFAULT '' NOT NULL,
    PRIMARY KEY (fingerprint)
);

CREATE INDEX asked_by_debate ON asked (debate_id);
