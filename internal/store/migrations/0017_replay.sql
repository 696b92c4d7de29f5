-- Replay records: what a client's run of an agent did. The record is kept as
-- it was sent, redacted; the summary is what lists show of it. The oldest
-- records of an account are removed when it has too many or they are too large.
CREATE TABLE replay (
	wallet     TEXT NOT NULL,
	run_id     TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	bytes      BIGINT NOT NULL, -- of the summary and the record
	summary    TEXT NOT NULL,
	record     TEXT NOT NULL,
	PRIMARY KEY (wallet, run_id)
);
CREATE INDEX replay_list ON replay (wallet, updated_at, run_id, bytes);
