-- The index of texts, and how many statements a debate will have, where that is known (NULL also in
-- an older row to which nothing was appended since). The first search adds the debates that exist.
-- The row of the title, event 0, says that a debate is in the index.

ALTER TABLE debates ADD COLUMN statements_planned BIGINT;

CREATE TABLE texts (
  debate_id TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  words TSVECTOR NOT NULL,
  PRIMARY KEY (debate_id, seq)
);

CREATE INDEX texts_by_words ON texts USING gin (words);
