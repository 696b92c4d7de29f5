-- The webhooks of accounts. One without a URL stands for those that requests name: it has the secret that signs
-- their deliveries. Secrets are sealed with a key that is not in this database.
CREATE TABLE webhook (
	id            TEXT PRIMARY KEY,
	wallet        TEXT NOT NULL REFERENCES account (wallet),
	url           TEXT NOT NULL,
	events        TEXT NOT NULL,   -- JSON list of types
	status        TEXT NOT NULL,   -- enabled or disabled
	reason        TEXT NOT NULL,   -- why the service has disabled it
	disabled_at   BIGINT NOT NULL,
	failing_since BIGINT NOT NULL, -- 0 when the last event arrived
	failures      BIGINT NOT NULL, -- in a row
	resume_at     BIGINT NOT NULL, -- nothing is sent before
	sealed        TEXT NOT NULL,   -- the secret
	sealed_before TEXT NOT NULL,   -- the one before it, which signs too until before_until
	before_until  BIGINT NOT NULL,
	created_at    BIGINT NOT NULL,
	updated_at    BIGINT NOT NULL
);
CREATE INDEX webhook_wallet ON webhook (wallet, created_at, id);
CREATE UNIQUE INDEX webhook_requests ON webhook (wallet) WHERE url = '';

-- The events on their way to webhooks, and those that have ended. A change of a workflow and the like inserts
-- them, and must not fail when a webhook is removed at the same time: no row refers to one.
CREATE TABLE webhook_delivery (
	id         TEXT PRIMARY KEY,
	webhook_id TEXT NOT NULL,
	wallet     TEXT NOT NULL,
	url        TEXT NOT NULL,   -- that a request has named
	subject    TEXT NOT NULL,
	sequence   BIGINT NOT NULL, -- the order within the subject
	type       TEXT NOT NULL,
	body       TEXT NOT NULL,
	status     TEXT NOT NULL,   -- waiting, sending, delivered or failed
	job_id     TEXT NOT NULL,
	tries      BIGINT NOT NULL,
	first_at   BIGINT NOT NULL,
	next_at    BIGINT NOT NULL,
	sent_at    BIGINT NOT NULL,
	took       BIGINT NOT NULL, -- milliseconds
	code       BIGINT NOT NULL,
	answer     TEXT NOT NULL,
	error      TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	ended_at   BIGINT NOT NULL
);
CREATE INDEX webhook_delivery_subject ON webhook_delivery (webhook_id, subject, sequence, id);
CREATE INDEX webhook_delivery_log ON webhook_delivery (webhook_id, created_at, id);
CREATE INDEX webhook_delivery_due ON webhook_delivery (next_at, webhook_id) WHERE status = 'waiting';
CREATE INDEX webhook_delivery_next ON webhook_delivery (webhook_id, next_at, id) WHERE status = 'waiting';
CREATE INDEX webhook_delivery_sending ON webhook_delivery (webhook_id) WHERE status = 'sending';
CREATE INDEX webhook_delivery_ended ON webhook_delivery (ended_at) WHERE ended_at > 0;
