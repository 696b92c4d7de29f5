-- What operators did: who, what, to which account or thing, and why. Rows are written
-- with the change that they are about, and are kept.
CREATE TABLE operator_action (
	id       TEXT PRIMARY KEY, -- ordered by time
	at       BIGINT NOT NULL,
	operator TEXT NOT NULL, -- a wallet, or "command line"
	action   TEXT NOT NULL,
	wallet   TEXT NOT NULL, -- of the account concerned, may be empty
	target   TEXT NOT NULL, -- the id of the thing concerned, may be empty
	detail   TEXT NOT NULL,
	reason   TEXT NOT NULL
);
CREATE INDEX operator_action_wallet ON operator_action (wallet, id);
CREATE INDEX operator_action_operator ON operator_action (operator, id);

-- What the content filter refused, so that operators find its false alarms. Only the
-- newest rows are kept: a number for each account, a number in all, and for a time.
CREATE TABLE filter_refusal (
	id         TEXT PRIMARY KEY, -- ordered by time
	at         BIGINT NOT NULL,
	wallet     TEXT NOT NULL REFERENCES account (wallet),
	place      TEXT NOT NULL, -- workflow or tool
	source     TEXT NOT NULL, -- what was refused; a second refusal of the same adds no row
	tool       TEXT NOT NULL,
	categories TEXT NOT NULL,
	excerpt    TEXT NOT NULL,
	verdict    TEXT NOT NULL, -- empty until an operator has judged
	note       TEXT NOT NULL,
	judged_by  TEXT NOT NULL,
	judged_at  BIGINT NOT NULL
);
CREATE UNIQUE INDEX filter_refusal_source ON filter_refusal (source);
CREATE INDEX filter_refusal_wallet ON filter_refusal (wallet, id);

-- Operators list accounts, keys, LoRAs and jobs of all accounts. Failed and cancelled
-- jobs are few; the other states are found through the newest jobs, or are few as well.
-- Jobs of an account or a model are found through the newest jobs too: an index of each took
-- a third of the jobs that SQLite settles in a second.
CREATE INDEX account_created ON account (created_at, wallet);
CREATE INDEX api_key_hint ON api_key (hint);
CREATE INDEX personal_lora_created ON personal_lora (created_at, id);
CREATE INDEX personal_lora_status_created ON personal_lora (status, created_at, id);
CREATE INDEX job_unsuccessful ON job (id) WHERE state = 'failed' OR state = 'cancelled';
CREATE INDEX job_failed_at ON job (ended_at) WHERE state = 'failed';

-- The code of a job's error, to select by. The document has it first.
ALTER TABLE job ADD COLUMN error_code TEXT NOT NULL DEFAULT '';
UPDATE job SET error_code = CASE
	WHEN SUBSTR(error, 1, 16) = '{"code":"error",' THEN 'error'
	WHEN SUBSTR(error, 1, 24) = '{"code":"lora_mismatch",' THEN 'lora_mismatch'
	WHEN SUBSTR(error, 1, 27) = '{"code":"content_filtered",' THEN 'content_filtered'
	WHEN SUBSTR(error, 1, 24) = '{"code":"out_of_memory",' THEN 'out_of_memory'
	WHEN SUBSTR(error, 1, 18) = '{"code":"dropped",' THEN 'dropped'
	WHEN SUBSTR(error, 1, 18) = '{"code":"unknown",' THEN 'unknown'
	WHEN SUBSTR(error, 1, 27) = '{"code":"lora_unavailable",' THEN 'lora_unavailable'
	WHEN SUBSTR(error, 1, 20) = '{"code":"no_worker",' THEN 'no_worker'
	WHEN SUBSTR(error, 1, 20) = '{"code":"cancelled",' THEN 'cancelled'
	ELSE '' END
	WHERE error <> '{}';
