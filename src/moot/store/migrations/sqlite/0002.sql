-- The texts that debates were given to read, each kept once under its hash and never changed, and
-- which debate has which.

CREATE TABLE attachments (
    sha256 TEXT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (sha256)
);

CREATE TABLE attached (
    debate_id TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (debate_id, sha256)
);

CREATE INDEX attached_by_hash ON attached (sha256);
