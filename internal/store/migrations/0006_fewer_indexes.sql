-- Every index is written whenever a row changes what it holds, and a job
-- changes three times. Those that answer for jobs that wait or run hold only
-- these.
DROP INDEX job_queue;
CREATE INDEX job_queue ON job (network, turn, id) WHERE state = 'queued';
DROP INDEX job_class;
CREATE INDEX job_class ON job (wallet, class) WHERE state = 'leased' AND class <> '';
DROP INDEX job_lease;
CREATE INDEX job_lease ON job (lease_until) WHERE state = 'leased';
DROP INDEX job_worker;
CREATE INDEX job_worker ON job (worker_id) WHERE state = 'leased';

-- The ledger: every change of what was granted or spent. The key names what
-- caused it, so that the same cause is never booked twice. What is set aside is
-- in hold.
DROP INDEX ledger_cause;
DROP INDEX ledger_wallet;
ALTER TABLE ledger RENAME TO ledger_before;
CREATE TABLE ledger (
	cause  TEXT NOT NULL,
	kind   TEXT NOT NULL,
	token  TEXT NOT NULL,
	wallet TEXT NOT NULL REFERENCES account (wallet),
	amount BIGINT NOT NULL,
	at     BIGINT NOT NULL,
	PRIMARY KEY (cause, kind, token)
) /* clustered */;
INSERT INTO ledger (cause, kind, token, wallet, amount, at)
	SELECT cause, kind, token, wallet, amount, at FROM ledger_before WHERE kind IN ('grant', 'spend');
DROP TABLE ledger_before;
CREATE INDEX ledger_wallet ON ledger (wallet, at);

-- Money held for work under way. A hold goes when it is settled or released.
DROP INDEX hold_wallet;
ALTER TABLE hold RENAME TO hold_before;
CREATE TABLE hold (
	cause  TEXT NOT NULL,
	token  TEXT NOT NULL,
	wallet TEXT NOT NULL REFERENCES account (wallet),
	amount BIGINT NOT NULL,
	at     BIGINT NOT NULL,
	PRIMARY KEY (cause, token)
) /* clustered */;
INSERT INTO hold (cause, token, wallet, amount, at) SELECT cause, token, wallet, amount, at FROM hold_before WHERE open;
DROP TABLE hold_before;

-- The logs, as they were.
ALTER TABLE event RENAME TO event_before;
CREATE TABLE event (
	log      TEXT NOT NULL,
	sequence BIGINT NOT NULL,
	type     TEXT NOT NULL,
	at       BIGINT NOT NULL,
	message  TEXT NOT NULL,
	payload  TEXT NOT NULL,
	status   TEXT NOT NULL,
	waiting  TEXT NOT NULL,
	PRIMARY KEY (log, sequence)
) /* clustered */;
INSERT INTO event (log, sequence, type, at, message, payload, status, waiting)
	SELECT log, sequence, type, at, message, payload, status, waiting FROM event_before;
DROP TABLE event_before;

-- What a key of an account has made, as it was.
DROP INDEX idempotency_age;
ALTER TABLE idempotency RENAME TO idempotency_before;
CREATE TABLE idempotency (
	wallet     TEXT NOT NULL REFERENCES account (wallet),
	scope      TEXT NOT NULL,
	key        TEXT NOT NULL,
	resource   TEXT NOT NULL,
	digest     TEXT NOT NULL,
	answer     TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (wallet, scope, key)
) /* clustered */;
INSERT INTO idempotency (wallet, scope, key, resource, digest, answer, created_at)
	SELECT wallet, scope, key, resource, digest, answer, created_at FROM idempotency_before;
DROP TABLE idempotency_before;
CREATE INDEX idempotency_age ON idempotency (created_at);
