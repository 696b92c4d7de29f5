-- The jobs that ended on a worker: operators see how many they are, and list them. It finds those that failed, too.

CREATE INDEX job_ended_on ON job (worker_id, state, id) WHERE state = 'completed' OR state = 'failed';
DROP INDEX job_failed_by;
