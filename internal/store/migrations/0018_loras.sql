-- Personal LoRAs. The link is what the owner sent, the source what it was pinned to, the pin
-- what the import needs to read it again. The object key is written before the object. Every
-- change counts in the revision, so that a change of an older reading changes nothing.
CREATE TABLE personal_lora (
	id           TEXT PRIMARY KEY,
	wallet       TEXT NOT NULL REFERENCES account (wallet),
	name         TEXT NOT NULL,
	model_id     TEXT NOT NULL,
	family       TEXT NOT NULL,
	link         TEXT NOT NULL,
	source       TEXT NOT NULL,
	pin          TEXT NOT NULL,
	status       TEXT NOT NULL,
	reason       TEXT NOT NULL,
	failure      TEXT NOT NULL,
	requirements TEXT NOT NULL,
	provider     TEXT NOT NULL,
	version      TEXT NOT NULL,
	bytes        BIGINT NOT NULL,
	sha256       TEXT NOT NULL,
	object_key   TEXT NOT NULL,
	progress     DOUBLE PRECISION NOT NULL,
	job_id       TEXT NOT NULL, -- of the import
	tries        BIGINT NOT NULL, -- of the import that failed
	rules        BIGINT NOT NULL, -- the version of the import rules that were applied
	held         BOOLEAN NOT NULL, -- in review because the operator holds it back
	revision     BIGINT NOT NULL,
	created_at   BIGINT NOT NULL,
	updated_at   BIGINT NOT NULL
);
CREATE INDEX personal_lora_wallet ON personal_lora (wallet, created_at, id);
CREATE INDEX personal_lora_status ON personal_lora (status, id);
CREATE INDEX personal_lora_object ON personal_lora (object_key);

-- How many imports of an account were accepted on a UTC day.
CREATE TABLE lora_import_day (
	wallet  TEXT NOT NULL,
	day     TEXT NOT NULL,
	imports BIGINT NOT NULL,
	PRIMARY KEY (wallet, day)
);

-- Which personal LoRAs a job loads, by their objects, while it is not over.
CREATE TABLE job_lora (
	job_id     TEXT NOT NULL,
	lora_id    TEXT NOT NULL,
	object_key TEXT NOT NULL,
	PRIMARY KEY (job_id, lora_id)
);
CREATE INDEX job_lora_lora ON job_lora (lora_id);
CREATE INDEX job_lora_object ON job_lora (object_key);
ALTER TABLE job ADD COLUMN personal_loras BIGINT NOT NULL DEFAULT 0;
