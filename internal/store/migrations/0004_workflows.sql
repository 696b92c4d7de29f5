-- Workflows. The plan is what was accepted and never changes; the state is
-- what became of it. Both are documents: what is asked for is a column.
CREATE TABLE workflow (
	id         TEXT PRIMARY KEY,
	wallet     TEXT NOT NULL REFERENCES account (wallet),
	status     TEXT NOT NULL,
	waiting    TEXT NOT NULL,
	plan       TEXT NOT NULL,
	state      TEXT NOT NULL,
	events     BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE INDEX workflow_list ON workflow (wallet, updated_at, id);
CREATE INDEX workflow_status ON workflow (status, wallet);

-- The logs of workflows and chat runs. A sequence comes from the counter of
-- the parent, in the transaction that tells the fact.
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
);

-- What a key of an account has made, and of which request.
CREATE TABLE idempotency (
	wallet     TEXT NOT NULL REFERENCES account (wallet),
	scope      TEXT NOT NULL,
	key        TEXT NOT NULL,
	resource   TEXT NOT NULL,
	digest     TEXT NOT NULL,
	answer     TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (wallet, scope, key)
);
CREATE INDEX idempotency_age ON idempotency (created_at);
