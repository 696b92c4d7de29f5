-- When a worker has last claimed, waited for a job, completed one or held as many as it
-- can; at first when it connected. 0 for one that connected to an earlier version.
ALTER TABLE worker ADD COLUMN claimed_at BIGINT NOT NULL DEFAULT 0;

-- When a worker has last completed a job; 0 before its first.
ALTER TABLE worker ADD COLUMN completed_at BIGINT NOT NULL DEFAULT 0;

-- Since when a connected worker does not claim, so that it serves no model; 0 while it
-- claims.
ALTER TABLE worker ADD COLUMN not_claiming_since BIGINT NOT NULL DEFAULT 0;

-- When a job was last put back into the queue; 0 while it was not.
ALTER TABLE job ADD COLUMN requeued_at BIGINT NOT NULL DEFAULT 0;
