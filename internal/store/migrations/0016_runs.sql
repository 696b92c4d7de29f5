-- Chat runs. The request is what was accepted and never changes; the state is
-- how far the answer has come. A node that works on a run names itself in it,
-- and every takeover counts, so that a node that was thought dead can write
-- nothing more.
CREATE TABLE chat_run (
	id         TEXT PRIMARY KEY,
	wallet     TEXT NOT NULL REFERENCES account (wallet),
	status     TEXT NOT NULL,
	waiting    TEXT NOT NULL,
	node       TEXT NOT NULL,
	takeovers  BIGINT NOT NULL,
	request    TEXT NOT NULL,
	state      TEXT NOT NULL,
	events     BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE INDEX chat_run_status ON chat_run (status, wallet);

-- The nodes that work on runs. The runs of a node whose lease has ended are
-- taken by another.
CREATE TABLE run_node (
	id          TEXT PRIMARY KEY,
	lease_until BIGINT NOT NULL
);
