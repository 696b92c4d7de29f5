-- An operator can suspend an account. Its session tokens carry the epoch they
-- were issued in, and those of another epoch are refused. While cancel_pending
-- is set, work that the account had when it was suspended is still to be
-- cancelled; the nodes look for such accounts.
ALTER TABLE account ADD COLUMN operator BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE account ADD COLUMN suspended_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE account ADD COLUMN token_epoch BIGINT NOT NULL DEFAULT 0;
ALTER TABLE account ADD COLUMN cancel_pending BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX account_cancel_pending ON account (wallet) WHERE cancel_pending;

-- Keys have a name and the time of their last use. The time is some minutes old
-- where a key is in use all the time: not every use is written down.
ALTER TABLE api_key ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE api_key ADD COLUMN last_used_at BIGINT NOT NULL DEFAULT 0;

-- The workers inside server processes used keys of this account, which stayed
-- valid when a process was killed. Their keys are now kept in memory only.
DELETE FROM api_key WHERE wallet = 'atelier-embedded';
