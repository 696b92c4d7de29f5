-- The accounts whose workers alone get a job, separated by spaces; any if it is empty.
ALTER TABLE job ADD COLUMN takers TEXT NOT NULL DEFAULT '';

-- Renders that are made again by workers of trusted accounts and compared.
CREATE TABLE spot_check (
	id         TEXT PRIMARY KEY, -- of the job that is checked
	wallet     TEXT NOT NULL,    -- who asked for it
	network    TEXT NOT NULL,
	model_id   TEXT NOT NULL,
	state      TEXT NOT NULL,    -- open, same, wrong or unclear
	at_fault   TEXT NOT NULL,    -- whose worker has made something else than two of those
	reason     TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	decided_at BIGINT NOT NULL
) /* clustered */;
CREATE INDEX spot_check_open ON spot_check (created_at) WHERE state = 'open';
CREATE INDEX spot_check_created ON spot_check (created_at, id);

-- The renders of each, the one that is checked first.
CREATE TABLE spot_check_render (
	check_id TEXT NOT NULL,
	position BIGINT NOT NULL,
	job_id   TEXT NOT NULL,
	wallet   TEXT NOT NULL, -- whose worker has made it; empty before
	worker   TEXT NOT NULL, -- the name of that worker
	PRIMARY KEY (check_id, position)
) /* clustered */;
CREATE INDEX spot_check_render_wallet ON spot_check_render (wallet);
