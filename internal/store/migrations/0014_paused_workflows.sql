-- Paused workflows of an account are counted at each start.
CREATE INDEX workflow_paused ON workflow (wallet) WHERE status = 'waiting_for_user';
