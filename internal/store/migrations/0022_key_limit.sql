-- What an API key is limited to, as JSON; empty for a key without limits. It is read with the key.
ALTER TABLE api_key ADD COLUMN limits TEXT NOT NULL DEFAULT '';

-- Which key asked for work: its id, which is empty where none did or it is not known.
ALTER TABLE ledger ADD COLUMN key_id TEXT NOT NULL DEFAULT '';
ALTER TABLE work_record ADD COLUMN key_id TEXT NOT NULL DEFAULT '';

-- The budgets of keys, and what counts for them: what the work that has ended was worth by UTC day, by UTC month and in
-- all, and what is held for work under way. The day and the month are those of the latest work. A budget that is
-- removed is zero, and its row stays.
CREATE TABLE key_budget (
	key_id      TEXT PRIMARY KEY,
	hash        TEXT NOT NULL,   -- of the key
	unit        TEXT NOT NULL,   -- of the limits: spark or usd
	day_limit   BIGINT NOT NULL, -- zero for none
	month_limit BIGINT NOT NULL,
	total_limit BIGINT NOT NULL,
	day         TEXT NOT NULL,
	day_spark   BIGINT NOT NULL,
	day_usd     BIGINT NOT NULL,
	month       TEXT NOT NULL,
	month_spark BIGINT NOT NULL,
	month_usd   BIGINT NOT NULL,
	spark       BIGINT NOT NULL,
	usd         BIGINT NOT NULL,
	held_spark  BIGINT NOT NULL,
	held_usd    BIGINT NOT NULL
) /* clustered */;

-- What is held on the budget of a key for work under way. It ends with the hold of the money.
CREATE TABLE key_hold (
	cause  TEXT PRIMARY KEY,
	key_id TEXT NOT NULL,
	spark  BIGINT NOT NULL,
	usd    BIGINT NOT NULL
) /* clustered */;

-- What the work that keys asked for was worth, by UTC day; the empty day has the sums of all days.
CREATE TABLE usage_key (
	wallet           TEXT NOT NULL,
	key_id           TEXT NOT NULL,
	day              TEXT NOT NULL,
	jobs             BIGINT NOT NULL,
	plan_jobs        BIGINT NOT NULL,
	plan_spark       BIGINT NOT NULL,
	plan_usd         BIGINT NOT NULL,
	spark_spent      BIGINT NOT NULL,
	paid_spark_spent BIGINT NOT NULL,
	svc_spent        BIGINT NOT NULL,
	spark            BIGINT NOT NULL,
	usd              BIGINT NOT NULL,
	PRIMARY KEY (wallet, day, key_id)
) /* clustered */;
CREATE INDEX usage_key_key ON usage_key (key_id, day);

-- A number that changes with every key, session and account that stops being valid or is limited otherwise: nodes look
-- at it to end open requests.
CREATE TABLE credential_change (
	only_row BIGINT PRIMARY KEY,
	changes  BIGINT NOT NULL
) /* clustered */;
INSERT INTO credential_change (only_row, changes) VALUES (1, 0);

-- Keys are named by their ids, the first half of their hashes.
CREATE INDEX api_key_id ON api_key (SUBSTR(hash, 1, 32));
