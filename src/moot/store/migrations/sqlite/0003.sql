-- When a waiting debate has to be looked at again, because somebody's time is up.

ALTER TABLE debates ADD COLUMN wake_at TEXT;

CREATE INDEX debates_by_waking ON debates (wake_at) WHERE wake_at IS NOT NULL;
