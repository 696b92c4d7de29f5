-- Sessions of the console. A session has two random halves, of which only the
-- hashes are stored: a cookie and a token that the page sends in a header. It acts
-- with an API key, and ends with it, with the epoch of the account, or when it was
-- not used for some hours. The time of its last use is up to a minute old.
CREATE TABLE console_session (
	token_hash  TEXT PRIMARY KEY,
	cookie_hash TEXT NOT NULL,
	key_hash    TEXT NOT NULL REFERENCES api_key (hash),
	epoch       BIGINT NOT NULL,
	created_at  BIGINT NOT NULL,
	used_at     BIGINT NOT NULL
);
CREATE INDEX console_session_key ON console_session (key_hash, used_at);
CREATE INDEX console_session_used ON console_session (used_at);

-- The application that used a key last, of those that named themselves.
ALTER TABLE api_key ADD COLUMN last_used_by TEXT NOT NULL DEFAULT '';
