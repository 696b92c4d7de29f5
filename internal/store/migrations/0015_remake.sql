-- Steps that a fallback worker has rendered and that are made again, free of charge: once. The
-- row is gone when the workflow that makes it again ends without a result.
CREATE TABLE remake (
	job_id      TEXT PRIMARY KEY, -- the job that the fallback worker rendered
	source_id   TEXT NOT NULL,    -- the workflow of that job
	workflow_id TEXT NOT NULL,    -- the workflow that makes it again
	created_at  BIGINT NOT NULL
) /* clustered */;
CREATE INDEX remake_source ON remake (source_id);
CREATE UNIQUE INDEX remake_workflow ON remake (workflow_id);

-- Jobs that no fallback worker ever gets.
ALTER TABLE job ADD COLUMN no_fallback BOOLEAN NOT NULL DEFAULT FALSE;
