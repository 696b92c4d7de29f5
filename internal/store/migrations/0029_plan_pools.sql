-- What workers earn, by month, worker and who asked. An empty worker has the totals:
-- by network, and by who asked. A record of a month that is closed counts for the next open
-- one.
CREATE TABLE worker_pay (
	worker     TEXT NOT NULL,
	month      TEXT NOT NULL,   -- YYYY-MM
	network    TEXT NOT NULL,
	nft        TEXT NOT NULL,
	wallet     TEXT NOT NULL,   -- who asked
	jobs       BIGINT NOT NULL,
	plan_spark BIGINT NOT NULL, -- renders that a plan covered
	usd        BIGINT NOT NULL, -- what they earn at most: the pool of the plan may have less
	svc        BIGINT NOT NULL, -- what the other renders earn
	PRIMARY KEY (worker, month, network, nft, wallet)
) /* clustered */;
CREATE INDEX worker_pay_month ON worker_pay (month);

-- What the plan of an account has paid for a month that is closed, and the part of it that
-- its workers shared.
CREATE TABLE plan_pool (
	month  TEXT NOT NULL,
	wallet TEXT NOT NULL,
	income BIGINT NOT NULL,
	pool   BIGINT NOT NULL,
	due    BIGINT NOT NULL, -- what the renders would have earned at most
	PRIMARY KEY (month, wallet)
) /* clustered */;

-- When a node first saw that a month has ended. The month is closed a day later, unless a
-- clock says that it has not ended.
CREATE TABLE month_end (
	month TEXT PRIMARY KEY,
	at    BIGINT NOT NULL
);

-- What was set about the plans of accounts, and when: each is valid until the next.
CREATE TABLE subscription_change (
	wallet       TEXT NOT NULL REFERENCES account (wallet),
	at           BIGINT NOT NULL,
	tier         TEXT NOT NULL,
	term         TEXT NOT NULL,
	provider     TEXT NOT NULL,
	status       TEXT NOT NULL,
	since        BIGINT NOT NULL,
	period_start BIGINT NOT NULL,
	period_end   BIGINT NOT NULL,
	renews       BOOLEAN NOT NULL,
	canceled     BOOLEAN NOT NULL,
	PRIMARY KEY (wallet, at)
) /* clustered */;
INSERT INTO subscription_change (wallet, at, tier, term, provider, status, since, period_start, period_end, renews, canceled)
	SELECT wallet, since, tier, term, provider, status, since, period_start, period_end, renews, canceled FROM subscription;

-- Claims of earnings. One that is large or odd waits for an operator.
CREATE TABLE earning_claim (
	id         TEXT PRIMARY KEY,
	wallet     TEXT NOT NULL,
	at         BIGINT NOT NULL,
	usd        BIGINT NOT NULL,
	svc        BIGINT NOT NULL,
	state      TEXT NOT NULL,   -- waiting, paid or refused
	reasons    TEXT NOT NULL,   -- why it waited; a JSON list
	decided_at BIGINT NOT NULL,
	decision   TEXT NOT NULL    -- the operator's words
);
CREATE INDEX earning_claim_waiting ON earning_claim (at) WHERE state = 'waiting';
INSERT INTO earning_claim (id, wallet, at, usd, svc, state, reasons, decided_at, decision)
	SELECT claim, wallet, MAX(claimed_at), CAST(SUM(usd) AS BIGINT), CAST(SUM(svc) AS BIGINT), 'paid', '[]', MAX(claimed_at), ''
	FROM earning WHERE claim <> '' GROUP BY claim, wallet;

-- worker_pay has what workers earn.
ALTER TABLE worker_count DROP COLUMN pay_usd;
ALTER TABLE worker_count DROP COLUMN pay_svc;

-- How long workers had the renders, to compare them with each other.
ALTER TABLE worker_use ADD COLUMN work_ms BIGINT NOT NULL DEFAULT 0;
