-- Only workflows under way are ever looked for by their status. An index of
-- these alone is small, and changes when one begins and ends, not in between.
DROP INDEX workflow_status;
CREATE INDEX workflow_active ON workflow (wallet) WHERE status IN ('queued', 'running');
