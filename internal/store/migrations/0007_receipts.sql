-- Work that goes on elsewhere, at a vendor's. The receipt is what finds it
-- again; while nobody knows what became of it the job waits, with its money
-- held, and is asked for again later. Only a verdict ends that: the vendor's, or
-- the operator's that nothing came of it.
ALTER TABLE job ADD COLUMN receipt TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN doubts BIGINT NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN not_before BIGINT NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN given_up BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX job_doubts ON job (id) WHERE state = 'queued' AND doubts > 0;
