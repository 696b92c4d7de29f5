-- Small objects on their way to the disk: a result that came with its completion is written here in
-- the same commit, and to its file without waiting for the disk. The row is removed once the file is
-- synced. After a crash the file is written again from the row.
CREATE TABLE fresh_object (
	object_key   TEXT PRIMARY KEY,
	content_type TEXT NOT NULL,
	content      TEXT NOT NULL, -- in base64
	created_at   BIGINT NOT NULL
);
