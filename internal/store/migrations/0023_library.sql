-- The library of an account: the artifacts that its workflows made and that it has
-- not deleted. The files are in artifact; here is what they are found and shown by.
CREATE TABLE library (
	wallet      TEXT NOT NULL,
	kind        TEXT NOT NULL,
	created_at  BIGINT NOT NULL,
	id          TEXT NOT NULL,
	job_id      TEXT NOT NULL,
	position    BIGINT NOT NULL,
	workflow_id TEXT NOT NULL,
	step_id     TEXT NOT NULL,
	tool        TEXT NOT NULL,
	model_id    TEXT NOT NULL,
	prompt      TEXT NOT NULL, -- shortened
	look        TEXT NOT NULL, -- empty until the file was read, then seen or none
	colors      TEXT NOT NULL, -- of the thumbnail, 4 by 4, in hexadecimal
	peaks       TEXT NOT NULL, -- of the sound, in hexadecimal
	PRIMARY KEY (wallet, kind, created_at, id)
) /* clustered */;
CREATE UNIQUE INDEX library_id ON library (id);

-- How many artifacts of a kind an account has of each UTC day, counted from 1970.
CREATE TABLE library_day (
	wallet TEXT NOT NULL,
	kind   TEXT NOT NULL,
	day    BIGINT NOT NULL,
	items  BIGINT NOT NULL,
	PRIMARY KEY (wallet, kind, day)
) /* clustered */;

-- Which artifacts a workflow was started with. They are kept until it is over.
CREATE TABLE workflow_input (
	object_key  TEXT NOT NULL,
	workflow_id TEXT NOT NULL,
	PRIMARY KEY (object_key, workflow_id)
) /* clustered */;
CREATE INDEX workflow_input_workflow ON workflow_input (workflow_id);

-- The runs of an account that changed last are read while it follows its events.
CREATE INDEX chat_run_changed ON chat_run (wallet, updated_at, id);
