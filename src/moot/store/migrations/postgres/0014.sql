-- The answer to a question in the form that its client asked for, so that it is paid for once; ''
-- if there is none.

ALTER TABLE asked ADD COLUMN form TEXT DEFAULT '' NOT NULL;
