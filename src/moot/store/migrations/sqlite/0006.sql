-- The titles that people give to debates, and the same case folded, as with topics. Nobody could
-- give one before, so all are blank.

ALTER TABLE debates ADD COLUMN title TEXT DEFAULT '' NOT NULL;

ALTER TABLE debates ADD COLUMN title_folded TEXT DEFAULT '' NOT NULL;
