-- The index of texts, and how many statements a debate will have, where that is known (NULL also in
-- an older row to which nothing was appended since). The first search adds the debates that exist.
-- The index itself is made when a file is opened (`backends/sqlite/searching.py`), because some
-- builds of SQLite cannot have one. This table says which debates are in it, each under a number
-- that is never used again.

ALTER TABLE debates ADD COLUMN statements_planned BIGINT;

CREATE TABLE indexed_debates (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  debate_id TEXT NOT NULL UNIQUE
);
