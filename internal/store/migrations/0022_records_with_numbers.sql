-- The record of work that has ended is written once, at the end of this table, and
-- stays there. A record without a cause stands for a number that no transaction uses.
ALTER TABLE work_record RENAME TO work_record_before;
CREATE TABLE work_record (
	id               /* serial */ PRIMARY KEY,
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
	pay_svc          BIGINT NOT NULL
);
INSERT INTO work_record (wallet, cause, at, app, network, model_id, failed, imported, by_plan,
		spark, usd, spark_spent, paid_spark_spent, svc_spent, worker, nft, work_ms, render_ms, switch_ms, priming_ms, pay_usd, pay_svc)
	SELECT wallet, cause, at, app, network, model_id, failed, imported, by_plan,
		spark, usd, spark_spent, paid_spark_spent, svc_spent, worker, nft, work_ms, render_ms, switch_ms, priming_ms, pay_usd, pay_svc
	FROM work_record_before;

-- The counters include the records up to a number. One task at a time counts: it
-- locks this row.
DROP TABLE work_count;
CREATE TABLE work_count (
	only_row BIGINT PRIMARY KEY,
	counted  BIGINT NOT NULL -- the number of the last record that is counted
);
INSERT INTO work_count (only_row, counted) SELECT 1, COALESCE(MAX(id), 0) FROM work_record;
INSERT INTO work_record (wallet, cause, at, app, network, model_id, failed, imported, by_plan,
		spark, usd, spark_spent, paid_spark_spent, svc_spent, worker, nft, work_ms, render_ms, switch_ms, priming_ms, pay_usd, pay_svc)
	SELECT wallet, cause, at, app, network, model_id, failed, imported, by_plan,
		spark, usd, spark_spent, paid_spark_spent, svc_spent, worker, nft, work_ms, render_ms, switch_ms, priming_ms, pay_usd, pay_svc
	FROM work_pending;
DROP TABLE work_record_before;
DROP TABLE work_pending;

-- The ledger of an account shows the models of what is not a render. Those of renders are
-- found by their jobs, so that the record of a render needs no index.
CREATE INDEX work_record_cause ON work_record (cause) WHERE network = '';
