-- Who really made the better case in a debate, in the opinion of a person: `winner` is the id of a
-- side, or `tie`. It is kept beside the log and never in it.

CREATE TABLE labels (
    debate_id TEXT NOT NULL,
    by TEXT NOT NULL,
    winner TEXT NOT NULL,
    note TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (debate_id, by)
);
