-- Which node removes what is no longer kept, by kind: the others leave it alone until then. And when that was done last,
-- and when all of a kind was looked at last.
CREATE TABLE retention (
	kind       TEXT PRIMARY KEY,
	node       TEXT NOT NULL,
	held_until BIGINT NOT NULL,
	swept_at   BIGINT NOT NULL, -- 0 before the first time, as below
	whole_at   BIGINT NOT NULL
);

-- Replay records and uploads that were used, the one that was longest ago first.
CREATE INDEX replay_age ON replay (updated_at);
CREATE INDEX upload_used ON upload (used_at, object_key) WHERE used_at > 0;
