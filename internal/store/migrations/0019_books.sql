-- What a piece of work that has ended cost, who asked for it and who did it. The
-- transaction that ends the work writes the record here, and a background task
-- adds it to the counters below and moves it to work_record. Readers add what is
-- pending to the counters, so they never miss a record.
CREATE TABLE work_pending (
	wallet           TEXT NOT NULL,
	cause            TEXT NOT NULL,    -- as in the ledger; of a job and its attempt, or of a round of a model
	at               BIGINT NOT NULL,
	app              TEXT NOT NULL,
	network          TEXT NOT NULL,    -- empty for work that is not a render
	model_id         TEXT NOT NULL,
	failed           BOOLEAN NOT NULL, -- the worker failed: nothing was paid
	imported         BOOLEAN NOT NULL, -- it ended before there were records: the counters of its day have it already
	by_plan          BOOLEAN NOT NULL,
	spark            BIGINT NOT NULL,  -- what the work cost, by balance or by plan
	usd              BIGINT NOT NULL,
	spark_spent      BIGINT NOT NULL,
	paid_spark_spent BIGINT NOT NULL,
	svc_spent        BIGINT NOT NULL,
	worker           TEXT NOT NULL,    -- the account of the worker; empty if it is not known
	nft              TEXT NOT NULL,
	work_ms          BIGINT NOT NULL,
	render_ms        BIGINT NOT NULL,
	switch_ms        BIGINT NOT NULL,
	priming_ms       BIGINT NOT NULL,
	pay_usd          BIGINT NOT NULL,  -- what the worker earns
	pay_svc          BIGINT NOT NULL,
	PRIMARY KEY (wallet, cause)
) /* clustered */;

-- The records that the counters include. They are kept: "atelier ledger verify"
-- recomputes the counters from them after the jobs were deleted.
CREATE TABLE work_record (
	wallet           TEXT NOT NULL,
	cause            TEXT NOT NULL,
	at               BIGINT NOT NULL,
	app              TEXT NOT NULL,
	network          TEXT NOT NULL,
	model_id         TEXT NOT NULL,
	failed           BOOLEAN NOT NULL,
	imported         BOOLEAN NOT NULL,
	by_plan          BOOLEAN NOT NULL,
	spark            BIGINT NOT NULL,
	usd              BIGINT NOT NULL,
	spark_spent      BIGINT NOT NULL,
	paid_spark_spent BIGINT NOT NULL,
	svc_spent        BIGINT NOT NULL,
	worker           TEXT NOT NULL,
	nft              TEXT NOT NULL,
	work_ms          BIGINT NOT NULL,
	render_ms        BIGINT NOT NULL,
	switch_ms        BIGINT NOT NULL,
	priming_ms       BIGINT NOT NULL,
	pay_usd          BIGINT NOT NULL,
	pay_svc          BIGINT NOT NULL,
	PRIMARY KEY (cause)
) /* clustered */;

-- Whether there is a record of what was spent: there is none of before.
ALTER TABLE ledger ADD COLUMN recorded BOOLEAN NOT NULL DEFAULT FALSE;

-- One task at a time counts records: it locks this row.
CREATE TABLE work_count (
	only_row BIGINT PRIMARY KEY,
	records  BIGINT NOT NULL
);
INSERT INTO work_count (only_row, records) VALUES (1, 0);

-- What accounts used on days before there were records. "atelier ledger verify"
-- adds it to the records.
CREATE TABLE usage_before (
	wallet           TEXT NOT NULL,
	day              TEXT NOT NULL,
	jobs             BIGINT NOT NULL,
	plan_jobs        BIGINT NOT NULL,
	plan_spark       BIGINT NOT NULL,
	plan_usd         BIGINT NOT NULL,
	spark_spent      BIGINT NOT NULL,
	paid_spark_spent BIGINT NOT NULL,
	svc_spent        BIGINT NOT NULL,
	PRIMARY KEY (wallet, day)
) /* clustered */;
INSERT INTO usage_before (wallet, day, jobs, plan_jobs, plan_spark, plan_usd, spark_spent, paid_spark_spent, svc_spent)
	SELECT wallet, day, jobs, plan_jobs, plan_spark, plan_usd, spark_spent, paid_spark_spent, svc_spent FROM usage_day;

-- What accounts used, by application and model. The empty day is the lifetime, here
-- and below.
CREATE TABLE usage_part (
	wallet           TEXT NOT NULL,
	app              TEXT NOT NULL,
	network          TEXT NOT NULL,
	model_id         TEXT NOT NULL,
	day              TEXT NOT NULL,
	jobs             BIGINT NOT NULL,
	plan_jobs        BIGINT NOT NULL,
	plan_spark       BIGINT NOT NULL,
	plan_usd         BIGINT NOT NULL,
	spark_spent      BIGINT NOT NULL,
	paid_spark_spent BIGINT NOT NULL,
	svc_spent        BIGINT NOT NULL,
	spark            BIGINT NOT NULL,
	PRIMARY KEY (wallet, day, app, network, model_id)
) /* clustered */;
CREATE INDEX usage_part_model ON usage_part (model_id, day, network);

-- What a plan has covered in each of its daily windows, which begin at the time of
-- day at which the billing period began.
CREATE TABLE plan_window (
	wallet TEXT NOT NULL,
	start  BIGINT NOT NULL,
	jobs   BIGINT NOT NULL,
	spark  BIGINT NOT NULL,
	usd    BIGINT NOT NULL,
	PRIMARY KEY (wallet, start)
) /* clustered */;

-- Counters of workers, by account, network, NFT and day. The rows of the empty
-- wallet are the totals of a network.
CREATE TABLE worker_count (
	wallet       TEXT NOT NULL,
	network      TEXT NOT NULL,
	nft          TEXT NOT NULL,
	day          TEXT NOT NULL,
	jobs         BIGINT NOT NULL,
	errors       BIGINT NOT NULL,
	connected_ms BIGINT NOT NULL,
	work_ms      BIGINT NOT NULL,
	render_ms    BIGINT NOT NULL,
	switch_ms    BIGINT NOT NULL,
	priming_ms   BIGINT NOT NULL,
	spark        BIGINT NOT NULL,
	usd          BIGINT NOT NULL,
	plan_spark   BIGINT NOT NULL,
	pay_usd      BIGINT NOT NULL,
	pay_svc      BIGINT NOT NULL,
	PRIMARY KEY (wallet, day, network, nft)
) /* clustered */;
CREATE INDEX worker_count_nft ON worker_count (nft, day) WHERE nft <> '';
INSERT INTO worker_count (wallet, network, nft, day, jobs, errors, connected_ms, work_ms, render_ms, switch_ms, priming_ms, spark, usd, plan_spark, pay_usd, pay_svc)
	SELECT wallet, network, nft, day,
		CAST(SUM(CASE WHEN name = 'jobCompleteWorker' THEN value ELSE 0 END) AS BIGINT),
		CAST(SUM(CASE WHEN name = 'jobErrorWorker' THEN value ELSE 0 END) AS BIGINT),
		CAST(SUM(CASE WHEN name = 'connectedSecWorker' THEN value ELSE 0 END) AS BIGINT),
		CAST(SUM(CASE WHEN name = 'workSecWorker' THEN value ELSE 0 END) AS BIGINT),
		CAST(SUM(CASE WHEN name = 'renderSecCompleteWorker' THEN value ELSE 0 END) AS BIGINT),
		CAST(SUM(CASE WHEN name = 'modelSwitchSecWorker' THEN value ELSE 0 END) AS BIGINT),
		CAST(SUM(CASE WHEN name = 'primingSecWorker' THEN value ELSE 0 END) AS BIGINT),
		0, 0, 0, 0, 0
	FROM (SELECT wallet, network, nft, day, name, CASE WHEN value > 1000000000000 THEN 1000000000000 ELSE value END AS value FROM counter_day) AS capped
	GROUP BY wallet, network, nft, day;
INSERT INTO worker_count (wallet, network, nft, day, jobs, errors, connected_ms, work_ms, render_ms, switch_ms, priming_ms, spark, usd, plan_spark, pay_usd, pay_svc)
	SELECT '', network, '', day, CAST(SUM(jobs) AS BIGINT), CAST(SUM(errors) AS BIGINT), CAST(SUM(connected_ms) AS BIGINT), CAST(SUM(work_ms) AS BIGINT),
		CAST(SUM(render_ms) AS BIGINT), CAST(SUM(switch_ms) AS BIGINT), CAST(SUM(priming_ms) AS BIGINT), 0, 0, 0, 0, 0
	FROM worker_count GROUP BY network, day;
INSERT INTO worker_count (wallet, network, nft, day, jobs, errors, connected_ms, work_ms, render_ms, switch_ms, priming_ms, spark, usd, plan_spark, pay_usd, pay_svc)
	SELECT wallet, network, nft, '', CAST(SUM(jobs) AS BIGINT), CAST(SUM(errors) AS BIGINT), CAST(SUM(connected_ms) AS BIGINT), CAST(SUM(work_ms) AS BIGINT),
		CAST(SUM(render_ms) AS BIGINT), CAST(SUM(switch_ms) AS BIGINT), CAST(SUM(priming_ms) AS BIGINT), 0, 0, 0, 0, 0
	FROM worker_count GROUP BY wallet, network, nft;

-- The days of worker_count before there were records, for "atelier ledger verify".
-- counter_day stays for nodes of an earlier version, which fail without it. What
-- they count from now on is not in any read.
CREATE TABLE worker_count_before (
	wallet     TEXT NOT NULL,
	network    TEXT NOT NULL,
	nft        TEXT NOT NULL,
	day        TEXT NOT NULL,
	jobs       BIGINT NOT NULL,
	errors     BIGINT NOT NULL,
	work_ms    BIGINT NOT NULL,
	render_ms  BIGINT NOT NULL,
	switch_ms  BIGINT NOT NULL,
	priming_ms BIGINT NOT NULL,
	PRIMARY KEY (wallet, day, network, nft)
) /* clustered */;
INSERT INTO worker_count_before (wallet, network, nft, day, jobs, errors, work_ms, render_ms, switch_ms, priming_ms)
	SELECT wallet, network, nft, day, jobs, errors, work_ms, render_ms, switch_ms, priming_ms FROM worker_count WHERE wallet <> '' AND day <> '';

-- Completed renders by model, with the same keys as worker_count.
CREATE TABLE worker_use (
	wallet   TEXT NOT NULL,
	network  TEXT NOT NULL,
	nft      TEXT NOT NULL,
	model_id TEXT NOT NULL,
	day      TEXT NOT NULL,
	jobs     BIGINT NOT NULL,
	spark    BIGINT NOT NULL,
	PRIMARY KEY (wallet, day, network, nft, model_id)
) /* clustered */;
CREATE INDEX worker_use_nft ON worker_use (nft, day) WHERE nft <> '';
CREATE INDEX worker_use_model ON worker_use (model_id, day, network);

-- Which accounts and NFTs had a worker connected on a day.
CREATE TABLE worker_login (
	kind    TEXT NOT NULL, -- wallet or nft
	network TEXT NOT NULL,
	day     TEXT NOT NULL,
	name    TEXT NOT NULL,
	PRIMARY KEY (kind, network, day, name)
) /* clustered */;

-- The largest number of workers that were connected at a heartbeat of the day. The
-- empty network is both networks together.
CREATE TABLE worker_online (
	network TEXT NOT NULL,
	day     TEXT NOT NULL,
	workers BIGINT NOT NULL,
	PRIMARY KEY (network, day)
) /* clustered */;

-- When a worker was seen before it was seen last. The difference is the connected
-- time that a call adds, whichever node the worker calls.
ALTER TABLE worker ADD COLUMN seen_before BIGINT NOT NULL DEFAULT 0;

-- What workers have earned in a month that is closed.
CREATE TABLE earning (
	wallet      TEXT NOT NULL,
	month       TEXT NOT NULL, -- YYYY-MM
	network     TEXT NOT NULL,
	plan_spark  BIGINT NOT NULL,
	usd         BIGINT NOT NULL,
	svc         BIGINT NOT NULL,
	claim       TEXT NOT NULL, -- empty until it is claimed
	claimed_at  BIGINT NOT NULL,
	PRIMARY KEY (wallet, month, network)
) /* clustered */;
CREATE TABLE earning_month (
	month     TEXT PRIMARY KEY,
	closed_at BIGINT NOT NULL
)
