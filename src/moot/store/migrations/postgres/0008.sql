-- The link by which strangers may read a debate: at most one for each, and its token is the whole
-- secret.

CREATE TABLE links (
    debate_id TEXT COLLATE "C" NOT NULL,
    token TEXT COLLATE "C" NOT NULL,
    has_private BOOLEAN NOT NULL,
    made_at TIMESTAMP WITH TIME ZONE NOT NULL,
    PRIMARY KEY (debate_id)
);

CREATE UNIQUE INDEX links_by_token ON links (token);
