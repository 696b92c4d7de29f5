-- Work that must survive a crash: render jobs, leased by workers.
CREATE TABLE job (
	id            TEXT PRIMARY KEY,
	project_id    TEXT NOT NULL,
	wallet        TEXT NOT NULL REFERENCES account (wallet),
	owner_kind    TEXT NOT NULL,
	owner_id      TEXT NOT NULL,
	owner_part    TEXT NOT NULL,
	spec          TEXT NOT NULL,
	network       TEXT NOT NULL,
	model_id      TEXT NOT NULL,
	class         TEXT NOT NULL,
	class_limit   BIGINT NOT NULL,
	state         TEXT NOT NULL,
	turn          BIGINT NOT NULL,
	attempt       BIGINT NOT NULL,
	cancel        BOOLEAN NOT NULL,
	worker_id     TEXT NOT NULL,
	lease_until   BIGINT NOT NULL,
	progress      DOUBLE PRECISION NOT NULL,
	message       TEXT NOT NULL,
	charge        TEXT NOT NULL,
	error         TEXT NOT NULL,
	created_at    BIGINT NOT NULL,
	started_at    BIGINT NOT NULL,
	ended_at      BIGINT NOT NULL
);
CREATE UNIQUE INDEX job_project ON job (project_id);
CREATE INDEX job_queue ON job (state, network, turn, id);
CREATE INDEX job_class ON job (wallet, class, state);
CREATE INDEX job_lease ON job (state, lease_until);
CREATE INDEX job_worker ON job (worker_id, state);
CREATE INDEX job_owner ON job (owner_kind, owner_id);

-- The last turn that each account was given in each network: accounts take
-- turns, however many jobs one of them brings at once.
CREATE TABLE job_turn (
	wallet  TEXT NOT NULL REFERENCES account (wallet),
	network TEXT NOT NULL,
	turn    BIGINT NOT NULL,
	PRIMARY KEY (wallet, network)
);

-- The turn at which each network stands: that of the job claimed last.
CREATE TABLE job_front (
	network TEXT PRIMARY KEY,
	turn    BIGINT NOT NULL
);

-- What jobs have made.
CREATE TABLE artifact (
	id           TEXT NOT NULL,
	project_id   TEXT NOT NULL,
	job_id       TEXT NOT NULL REFERENCES job (id),
	position     BIGINT NOT NULL,
	kind         TEXT NOT NULL,
	content_type TEXT NOT NULL,
	blob_key     TEXT NOT NULL,
	bytes        BIGINT NOT NULL,
	width        BIGINT NOT NULL,
	height       BIGINT NOT NULL,
	duration     DOUBLE PRECISION NOT NULL,
	seed         BIGINT NOT NULL,
	metadata     TEXT NOT NULL,
	PRIMARY KEY (project_id, id)
);
CREATE UNIQUE INDEX artifact_key ON artifact (blob_key);
CREATE INDEX artifact_job ON artifact (job_id, position);

-- Workers that are connected.
CREATE TABLE worker (
	id           TEXT PRIMARY KEY,
	wallet       TEXT NOT NULL REFERENCES account (wallet),
	name         TEXT NOT NULL,
	network      TEXT NOT NULL,
	models       TEXT NOT NULL,
	loaded       TEXT NOT NULL,
	capacity     BIGINT NOT NULL,
	nft_token_id TEXT NOT NULL,
	version      TEXT NOT NULL,
	gpu          TEXT NOT NULL,
	draining     BOOLEAN NOT NULL,
	created_at   BIGINT NOT NULL,
	seen_at      BIGINT NOT NULL
);
CREATE INDEX worker_seen ON worker (seen_at);

-- Money held for work under way. A hold is closed once, by a settlement or a
-- release.
CREATE TABLE hold (
	cause  TEXT NOT NULL,
	token  TEXT NOT NULL,
	wallet TEXT NOT NULL REFERENCES account (wallet),
	amount BIGINT NOT NULL,
	open   BOOLEAN NOT NULL,
	at     BIGINT NOT NULL,
	PRIMARY KEY (cause, token)
);
CREATE INDEX hold_wallet ON hold (wallet, open);

-- What each account used on each UTC day.
CREATE TABLE usage_day (
	wallet           TEXT NOT NULL REFERENCES account (wallet),
	day              TEXT NOT NULL,
	jobs             BIGINT NOT NULL,
	plan_jobs        BIGINT NOT NULL,
	plan_spark       BIGINT NOT NULL,
	plan_usd         BIGINT NOT NULL,
	spark_spent      BIGINT NOT NULL,
	paid_spark_spent BIGINT NOT NULL,
	svc_spent        BIGINT NOT NULL,
	PRIMARY KEY (wallet, day)
);

-- Counters of workers, by UTC day, wallet and network.
CREATE TABLE counter_day (
	day     TEXT NOT NULL,
	wallet  TEXT NOT NULL,
	network TEXT NOT NULL,
	nft     TEXT NOT NULL,
	name    TEXT NOT NULL,
	value   BIGINT NOT NULL,
	PRIMARY KEY (day, wallet, network, nft, name)
);
