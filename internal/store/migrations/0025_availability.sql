-- Why a connected worker takes no jobs for now, in its own words; empty while it takes
-- them.
ALTER TABLE worker ADD COLUMN unavailable TEXT NOT NULL DEFAULT '';

-- When a worker has last reported other models, or that it is available or not.
ALTER TABLE worker ADD COLUMN changed_at BIGINT NOT NULL DEFAULT 0;

-- The models of the jobs that a worker got since it has reported which are loaded, at most
-- as many as it holds jobs at once, and how often it had to load another model for a job.
ALTER TABLE worker ADD COLUMN recent TEXT NOT NULL DEFAULT '[]';
ALTER TABLE worker ADD COLUMN switches BIGINT NOT NULL DEFAULT 0;

-- Which worker has dropped a job, by its session and by its account and name, and until
-- when others are preferred for the next try.
ALTER TABLE job ADD COLUMN dropped_by TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN dropped_name TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN avoid_until BIGINT NOT NULL DEFAULT 0;

-- Since when jobs that come later in the queue, of a model that a worker has loaded, are
-- taken before this one; 0 while none was.
ALTER TABLE job ADD COLUMN passed_at BIGINT NOT NULL DEFAULT 0;
