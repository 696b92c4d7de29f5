-- Models that workers other than fallbacks have offered, and for how long none of them has
-- served each: fallback workers leave the jobs of such a model to them for a while.
CREATE TABLE model_absence (
	network  TEXT NOT NULL,
	model_id TEXT NOT NULL,
	lost_at  BIGINT NOT NULL, -- since when none serves it; 0 while one does, as it was noted last
	away     BIGINT NOT NULL, -- how long none did in all, without the time since lost_at, in milliseconds
	reserve  BIGINT NOT NULL, -- how long its jobs are left to them, in milliseconds
	PRIMARY KEY (network, model_id)
) /* clustered */;
-- How long none had served the model of a job when the job was queued.
ALTER TABLE job ADD COLUMN away_before BIGINT NOT NULL DEFAULT 0;
