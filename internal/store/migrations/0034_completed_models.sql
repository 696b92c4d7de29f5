-- When a worker last completed a job of a model that it offers.
ALTER TABLE worker_model ADD COLUMN completed_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE worker DROP COLUMN completed_at
