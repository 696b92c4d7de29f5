-- Who there is, how they show it, and what they own.
CREATE TABLE account (
	wallet         TEXT PRIMARY KEY,
	username       TEXT NOT NULL,
	email          TEXT NOT NULL,
	email_verified BOOLEAN NOT NULL,
	worker         BOOLEAN NOT NULL,
	unfiltered     BOOLEAN NOT NULL,
	created_at     BIGINT NOT NULL
);
CREATE UNIQUE INDEX account_wallet ON account (lower(wallet));
CREATE UNIQUE INDEX account_username ON account (lower(username));

-- API keys. Only the SHA-256 of a key is kept.
CREATE TABLE api_key (
	hash       TEXT PRIMARY KEY,
	wallet     TEXT NOT NULL REFERENCES account (wallet),
	hint       TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	revoked_at BIGINT NOT NULL
);
CREATE INDEX api_key_wallet ON api_key (wallet, created_at);

-- The last thing that was set about an account's plan.
CREATE TABLE subscription (
	wallet       TEXT PRIMARY KEY REFERENCES account (wallet),
	tier         TEXT NOT NULL,
	term         TEXT NOT NULL,
	provider     TEXT NOT NULL,
	status       TEXT NOT NULL,
	since        BIGINT NOT NULL,
	period_start BIGINT NOT NULL,
	period_end   BIGINT NOT NULL,
	renews       BOOLEAN NOT NULL,
	canceled     BOOLEAN NOT NULL
);

-- Purses: one row an account and token, in millionths.
CREATE TABLE purse (
	wallet  TEXT NOT NULL REFERENCES account (wallet),
	token   TEXT NOT NULL,
	granted BIGINT NOT NULL,
	spent   BIGINT NOT NULL,
	held    BIGINT NOT NULL,
	PRIMARY KEY (wallet, token),
	CHECK (held >= 0 AND spent >= 0 AND granted - spent - held >= 0)
);

-- The ledger: every change of a purse. The key names what caused it, so that
-- the same cause is never booked twice.
CREATE TABLE ledger (
	id     TEXT PRIMARY KEY,
	wallet TEXT NOT NULL REFERENCES account (wallet),
	token  TEXT NOT NULL,
	kind   TEXT NOT NULL,
	amount BIGINT NOT NULL,
	cause  TEXT NOT NULL,
	at     BIGINT NOT NULL
);
CREATE UNIQUE INDEX ledger_cause ON ledger (cause, kind, token);
CREATE INDEX ledger_wallet ON ledger (wallet, at);

-- Facts about the installation itself, such as that its first account exists.
CREATE TABLE setting (
	name  TEXT PRIMARY KEY,
	value TEXT NOT NULL
);
