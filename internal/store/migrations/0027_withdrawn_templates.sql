-- The last version of a public template that was withdrawn. If it is published again, its
-- versions go on.
CREATE TABLE withdrawn_template (
	id      TEXT PRIMARY KEY,
	version TEXT NOT NULL
);
