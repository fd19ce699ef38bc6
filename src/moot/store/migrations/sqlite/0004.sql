-- Since when a debate has been held, and when one in quarantine is tried again.
-- Deaths beyond the third were counted by another rule: any debate may have caused them.

ALTER TABLE debates ADD COLUMN claimed_at TEXT;

ALTER TABLE debates ADD COLUMN next_try_at TEXT;

UPDATE debates SET claims = 3 WHERE claims > 3;
