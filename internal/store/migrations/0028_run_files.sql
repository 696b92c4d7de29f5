-- The objects of its account that a chat run refers to. Uploads among them are kept for as
-- long as the run is.
CREATE TABLE run_file (
	run_id   TEXT NOT NULL,
	blob_key TEXT NOT NULL,
	PRIMARY KEY (run_id, blob_key)
);
CREATE INDEX run_file_by_key ON run_file (blob_key);
