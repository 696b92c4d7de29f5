-- Only workflows under way are ever looked for by their status. An index of
-- these alone is small, and changes when one begins and ends, not in between.
DROP INDEX workflow_status;
CREATE INDEX workflow_active ON workflow (wallet) WHERE status IN ('queued', 'running');

-- Jobs that are leased are few: one index finds them by worker and by the end of
-- their lease.
DROP INDEX job_lease;
DROP INDEX job_worker;
CREATE INDEX job_leased ON job (worker_id, lease_until) WHERE state = 'leased';

-- What jobs have made, kept by job: nobody asks for it otherwise, but by its key.
DROP INDEX artifact_key;
DROP INDEX artifact_job;
ALTER TABLE artifact RENAME TO artifact_before;
CREATE TABLE artifact (
	id           TEXT NOT NULL,
	project_id   TEXT NOT NULL,
	job_id       TEXT NOT NULL REFERENCES job (id),
	position     BIGINT NOT NULL,
	kind         TEXT NOT NULL,
	content_type TEXT NOT NULL,
	blob_key     TEXT NOT NULL,
	bytes        BIGINT NOT NULL,
	width        BIGINT NOT NULL,
	height       BIGINT NOT NULL,
	duration     DOUBLE PRECISION NOT NULL,
	seed         BIGINT NOT NULL,
	metadata     TEXT NOT NULL,
	PRIMARY KEY (job_id, position)
) /* clustered */;
INSERT INTO artifact (id, project_id, job_id, position, kind, content_type, blob_key, bytes, width, height, duration, seed, metadata)
	SELECT id, project_id, job_id, position, kind, content_type, blob_key, bytes, width, height, duration, seed, metadata FROM artifact_before;
DROP TABLE artifact_before;
CREATE UNIQUE INDEX artifact_key ON artifact (blob_key);
