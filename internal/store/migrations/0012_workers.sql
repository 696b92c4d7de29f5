-- Each lease of a job has a number of its own, which is part of the keys its
-- worker uploads to. A job that is under way goes on counting from its attempt,
-- which the keys had before.
ALTER TABLE job ADD COLUMN leases BIGINT NOT NULL DEFAULT 0;
UPDATE job SET leases = attempt WHERE state IN ('queued', 'leased');

-- When somebody asked a worker to stop: it has a few leases to do so.
ALTER TABLE job ADD COLUMN cancel_at BIGINT NOT NULL DEFAULT 0;

-- Turns count time as well as jobs. An account has used so many milliseconds of
-- render time in a network, and its jobs typically take so long. A job knows
-- how much of that its turn accounts for already, how much was typical then,
-- and how much of its own lease is counted.
ALTER TABLE job_turn ADD COLUMN used BIGINT NOT NULL DEFAULT 0;
ALTER TABLE job_turn ADD COLUMN typical BIGINT NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN turn_used BIGINT NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN turn_typical BIGINT NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN counted BIGINT NOT NULL DEFAULT 0;

-- The live sessions of an account are counted when another one connects.
CREATE INDEX worker_wallet ON worker (wallet);
