-- What workers report about their machines: the newest report of each, and one of each minute for
-- the history. Of those, some are kept for as long as samples of nodes, the others for about a day.
ALTER TABLE worker ADD COLUMN machine TEXT NOT NULL DEFAULT '';
ALTER TABLE worker ADD COLUMN machine_at BIGINT NOT NULL DEFAULT 0;

CREATE TABLE worker_sample (
	wallet     TEXT NOT NULL,
	name       TEXT NOT NULL,
	at         BIGINT NOT NULL, -- when the minute begins
	worker_id  TEXT NOT NULL,   -- of the connection that reported it: a worker that connects again has another
	gpus       TEXT NOT NULL,   -- JSON: a list for each GPU of its used and whole memory, temperature and power
	disk_free  BIGINT NOT NULL, -- -1 where it is not known
	expires_at BIGINT NOT NULL,
	PRIMARY KEY (wallet, name, at, worker_id)
) /* clustered */;
CREATE INDEX worker_sample_expires ON worker_sample (expires_at);

CREATE INDEX job_failed_by ON job (worker_id, ended_at) WHERE state = 'failed';
