-- The servers that operators have connected: language models, ComfyUI, vendors, hosting sites
-- of LoRAs. The settings hold no secret; the secret is sealed with a key that is not in this
-- database.
CREATE TABLE connection (
	id         TEXT PRIMARY KEY,
	kind       TEXT NOT NULL,
	name       TEXT NOT NULL,
	settings   TEXT NOT NULL,   -- JSON
	sealed     TEXT NOT NULL,   -- the API key, sealed; empty without one
	revision   BIGINT NOT NULL, -- counts the changes of the row
	node       TEXT NOT NULL,   -- that uses it alone, while held_until has not passed
	held_until BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX connection_name ON connection (kind, name);
CREATE INDEX connection_order ON connection (created_at, id);

-- Counts the changes of all connections, so that nodes see cheaply whether there is one.
CREATE TABLE connection_change (
	only_row BIGINT PRIMARY KEY,
	number   BIGINT NOT NULL
);
INSERT INTO connection_change (only_row, number) VALUES (1, 0);
