-- Whose a project id is: the first account that names it.
CREATE TABLE project_claim (
	project_id TEXT PRIMARY KEY,
	wallet     TEXT NOT NULL REFERENCES account (wallet),
	claimed_at BIGINT NOT NULL
);

-- Uploads that were allowed: one row a signed form. The object of a key is
-- never uploaded before its row is committed, and a key is never used again,
-- so an object without a row is garbage for good.
CREATE TABLE upload (
	blob_key     TEXT PRIMARY KEY,
	project_id   TEXT NOT NULL,
	slot         TEXT NOT NULL,
	wallet       TEXT NOT NULL REFERENCES account (wallet),
	content_type TEXT NOT NULL,
	created_at   BIGINT NOT NULL,
	open_until   BIGINT NOT NULL
);
CREATE INDEX upload_slot ON upload (project_id, slot, created_at);
CREATE INDEX upload_open_until ON upload (open_until);

-- Saved assets.
CREATE TABLE asset (
	id             TEXT PRIMARY KEY,
	wallet         TEXT NOT NULL REFERENCES account (wallet),
	name           TEXT NOT NULL,
	bytes          BIGINT NOT NULL,
	content_type   TEXT NOT NULL,
	sha256         TEXT NOT NULL,
	state          TEXT NOT NULL,
	blob_key       TEXT NOT NULL,
	created_at     BIGINT NOT NULL,
	finalize_until BIGINT NOT NULL,
	used_at        BIGINT NOT NULL,
	busy_until     BIGINT NOT NULL
);
CREATE UNIQUE INDEX asset_sha256 ON asset (wallet, sha256);
CREATE UNIQUE INDEX asset_key ON asset (blob_key);
CREATE INDEX asset_wallet ON asset (wallet, created_at);
CREATE INDEX asset_state ON asset (state, used_at);

-- What an account has done with saved assets on a UTC day.
CREATE TABLE asset_day (
	wallet   TEXT NOT NULL REFERENCES account (wallet),
	day      TEXT NOT NULL,
	bindings BIGINT NOT NULL,
	bytes    BIGINT NOT NULL,
	PRIMARY KEY (wallet, day)
);
