-- Who takes part in a debate (or the first of them, and how many there are), its outcome in short,
-- and the debate it was made from. For an older debate only its log knows: its row has no seats
-- (NULL), and is written anew when somebody lists it.

ALTER TABLE debates ADD COLUMN seats JSON;

ALTER TABLE debates ADD COLUMN cast_size BIGINT DEFAULT 0 NOT NULL;

ALTER TABLE debates ADD COLUMN outcome JSON;

ALTER TABLE debates ADD COLUMN has_open_cards BOOLEAN DEFAULT false NOT NULL;

ALTER TABLE debates ADD COLUMN spoke_last TEXT DEFAULT '' NOT NULL;

ALTER TABLE debates ADD COLUMN forked_from TEXT DEFAULT '' NOT NULL;

ALTER TABLE debates ADD COLUMN rematch_of TEXT DEFAULT '' NOT NULL;
