-- Jobs that a worker failed at, and that were queued again. A worker is an account and a name: a
-- session ends when the worker restarts.
CREATE TABLE worker_lapse (
	job_id     TEXT NOT NULL PRIMARY KEY,
	wallet     TEXT NOT NULL,
	name       TEXT NOT NULL,
	worker_id  TEXT NOT NULL,    -- the session
	version    TEXT NOT NULL,    -- of the worker
	account    TEXT NOT NULL,    -- whose job it was
	model_id   TEXT NOT NULL,
	code       TEXT NOT NULL,
	message    TEXT NOT NULL,
	at         BIGINT NOT NULL,
	confirmed  BOOLEAN NOT NULL, -- another worker has completed the job
	completed  BIGINT NOT NULL   -- how many jobs of the model the worker has completed since
);
CREATE INDEX worker_lapse_worker ON worker_lapse (wallet, name, at);
CREATE INDEX worker_lapse_at ON worker_lapse (at);

-- Workers whose standing is low because of those jobs.
CREATE TABLE worker_standing (
	wallet    TEXT NOT NULL,
	name      TEXT NOT NULL,
	low_since BIGINT NOT NULL,
	reason    TEXT NOT NULL,
	completed BIGINT NOT NULL, -- jobs in a row of models that it has failed at
	pause     BIGINT NOT NULL, -- between two trials, in milliseconds
	trial_at  BIGINT NOT NULL, -- when it may get the next job that others could render
	PRIMARY KEY (wallet, name)
) /* clustered */;

-- What the sessions of such a worker repeat, because matching reads it: since when its standing is
-- low, why, and how many of those jobs are remembered.
ALTER TABLE worker ADD COLUMN low_since BIGINT NOT NULL DEFAULT 0;
ALTER TABLE worker ADD COLUMN low_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE worker ADD COLUMN lapses BIGINT NOT NULL DEFAULT 0;
