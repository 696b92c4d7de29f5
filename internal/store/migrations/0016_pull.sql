-- Files of models that operators have fetched into the folder of a ComfyUI: the latest pull of each
-- model for each connection.
CREATE TABLE pull (
	id            TEXT PRIMARY KEY,
	connection_id TEXT NOT NULL,
	model         TEXT NOT NULL,
	folder        TEXT NOT NULL,
	state         TEXT NOT NULL,
	attempt       BIGINT NOT NULL, -- counts the nodes that have taken it: only the last one changes the row
	held_until    BIGINT NOT NULL, -- another node may take it after that
	files         TEXT NOT NULL,   -- JSON: what the model needs, and how much of it is there
	speed         BIGINT NOT NULL, -- in bytes per second
	problem       TEXT NOT NULL,
	created_at    BIGINT NOT NULL,
	started_at    BIGINT NOT NULL, -- 0 before
	ended_at      BIGINT NOT NULL  -- 0 before
);
CREATE UNIQUE INDEX pull_model ON pull (connection_id, model);
CREATE INDEX pull_waiting ON pull (created_at, id) WHERE state IN ('queued', 'running');
