-- The text that a model is writing for a run, while a reader at another node follows it. It
-- is of no use after its round: nothing is lost with it.
CREATE TABLE run_draft (
	run_id  TEXT PRIMARY KEY,
	version BIGINT NOT NULL,
	round   BIGINT NOT NULL,
	content TEXT NOT NULL
);
