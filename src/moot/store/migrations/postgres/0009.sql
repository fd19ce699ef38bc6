-- How a debate got here if it did not begin here, such as `import/file`. All that exist did.

ALTER TABLE debates ADD COLUMN origin TEXT DEFAULT '' NOT NULL;
