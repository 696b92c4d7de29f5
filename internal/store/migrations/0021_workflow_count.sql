-- How many workflows of an account are queued or running, and how many are paused: limits ask with every start, and
-- counting them took longer the more there were. The indexes were for that.

ALTER TABLE stored_total ADD COLUMN active BIGINT NOT NULL DEFAULT 0;
ALTER TABLE stored_total ADD COLUMN paused BIGINT NOT NULL DEFAULT 0;
UPDATE stored_total SET
	active = (SELECT COUNT(*) FROM workflow WHERE workflow.wallet = stored_total.wallet AND status IN ('queued', 'running')),
	paused = (SELECT COUNT(*) FROM workflow WHERE workflow.wallet = stored_total.wallet AND status = 'waiting_for_user');
DROP INDEX workflow_active;
DROP INDEX workflow_paused;
