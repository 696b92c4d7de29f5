-- Sessions: what a chat remembers between its messages. A session is named by
-- its account; two accounts may use the same name and learn nothing of each
-- other. The manifest is the list of assets as the tools of the creative agent
-- keep it.
CREATE TABLE session (
	wallet     TEXT NOT NULL,
	id         TEXT NOT NULL,
	manifest   TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (wallet, id)
);
CREATE INDEX session_age ON session (updated_at, wallet, id);
