-- Which debate a hearing is about. No debate that exists is a hearing.

ALTER TABLE debates ADD COLUMN hears TEXT DEFAULT '' NOT NULL;

CREATE INDEX debates_by_hears ON debates (hears) WHERE hears <> '';
