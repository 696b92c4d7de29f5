-- How often a form was used, how many bytes of the day's quota are set aside for
-- it, and when a workflow first took what came with it. Which uploads were taken
-- before this was noted is not known: all of them count as taken.
ALTER TABLE upload ADD COLUMN posts BIGINT NOT NULL DEFAULT 0;
ALTER TABLE upload ADD COLUMN reserved BIGINT NOT NULL DEFAULT 0;
ALTER TABLE upload ADD COLUMN used_at BIGINT NOT NULL DEFAULT 0;
UPDATE upload SET used_at = created_at;

-- A claim now goes with the last upload of its project. Those whose uploads went
-- before are removed here.
DELETE FROM project_claim WHERE NOT EXISTS (SELECT 1 FROM upload WHERE upload.project_id = project_claim.project_id);

-- What an account has uploaded on a UTC day.
CREATE TABLE upload_day (
	wallet TEXT NOT NULL REFERENCES account (wallet),
	day    TEXT NOT NULL,
	forms  BIGINT NOT NULL,
	bytes  BIGINT NOT NULL,
	PRIMARY KEY (wallet, day)
);

-- Which installation this database belongs to. The media storage holds the same
-- id, so that neither is used with the other of another installation.
CREATE TABLE installation (
	only_row   BIGINT PRIMARY KEY,
	id         TEXT NOT NULL,
	created_at BIGINT NOT NULL
);
