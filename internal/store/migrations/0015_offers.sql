-- What connected workers offer, a row a model. A fallback worker gets a job
-- only while no other connected worker offers its model.
ALTER TABLE worker ADD COLUMN fallback BOOLEAN NOT NULL DEFAULT FALSE;
CREATE TABLE worker_model (
	network   TEXT NOT NULL,
	model_id  TEXT NOT NULL,
	worker_id TEXT NOT NULL REFERENCES worker (id) ON DELETE CASCADE, -- by nodes of an earlier version, too
	PRIMARY KEY (network, model_id, worker_id)
) /* clustered */;
CREATE INDEX worker_model_worker ON worker_model (worker_id);

-- Since when no connected worker offers the model of a queued job; 0 while one
-- does. Only the jobs that wait so are in the index.
ALTER TABLE job ADD COLUMN unserved_since BIGINT NOT NULL DEFAULT 0;
CREATE INDEX job_unserved ON job (unserved_since) WHERE state = 'queued' AND unserved_since > 0;
