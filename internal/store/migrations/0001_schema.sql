-- The tables of the service, for SQLite and PostgreSQL: clustered and serial stand for what differs. Times are milliseconds
-- since 1970, 0 where there is none; amounts of money are millionths.

-- Accounts and what they may do

-- Who there is, how they show it, and what they own.
CREATE TABLE account (
	wallet         TEXT PRIMARY KEY,
	username       TEXT NOT NULL,
	email          TEXT NOT NULL,
	email_verified BOOLEAN NOT NULL,
	worker         BOOLEAN NOT NULL,
	unfiltered     BOOLEAN NOT NULL,
	created_at     BIGINT NOT NULL,
	operator       BOOLEAN NOT NULL DEFAULT FALSE,
	suspended_at   BIGINT NOT NULL DEFAULT 0,
	token_epoch    BIGINT NOT NULL DEFAULT 0,      -- session tokens of an earlier one are not valid
	cancel_pending BOOLEAN NOT NULL DEFAULT FALSE  -- it is suspended, and its work is yet to be cancelled
);
CREATE UNIQUE INDEX account_wallet ON account (lower(wallet));
CREATE UNIQUE INDEX account_username ON account (lower(username));
CREATE INDEX account_cancel_pending ON account (wallet) WHERE cancel_pending;
CREATE INDEX account_created ON account (created_at, wallet);

-- API keys. Only the SHA-256 of a key is kept.
CREATE TABLE api_key (
	hash         TEXT PRIMARY KEY,
	wallet       TEXT NOT NULL REFERENCES account (wallet),
	hint         TEXT NOT NULL,
	created_at   BIGINT NOT NULL,
	revoked_at   BIGINT NOT NULL,
	name         TEXT NOT NULL DEFAULT '',
	last_used_at BIGINT NOT NULL DEFAULT 0,
	last_used_by TEXT NOT NULL DEFAULT ''
);
CREATE INDEX api_key_wallet ON api_key (wallet, created_at);
CREATE INDEX api_key_hint ON api_key (hint);

-- Sessions of the console. A session has two random halves, of which only the
-- hashes are stored: a cookie and a token that the page sends in a header. It acts
-- with an API key, and ends with it, with the epoch of the account, or when it was
-- not used for some hours. The time of its last use is up to a minute old.
CREATE TABLE console_session (
	token_hash  TEXT PRIMARY KEY,
	cookie_hash TEXT NOT NULL,
	key_hash    TEXT NOT NULL REFERENCES api_key (hash),
	epoch       BIGINT NOT NULL,
	created_at  BIGINT NOT NULL,
	used_at     BIGINT NOT NULL
);
CREATE INDEX console_session_key ON console_session (key_hash, used_at);
CREATE INDEX console_session_used ON console_session (used_at);

-- What a key of an account has made, and of which request.
CREATE TABLE idempotency (
	wallet     TEXT NOT NULL REFERENCES account (wallet),
	scope      TEXT NOT NULL,
	key        TEXT NOT NULL,
	resource   TEXT NOT NULL,
	digest     TEXT NOT NULL,
	answer     TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (wallet, scope, key)
) /* clustered */;
CREATE INDEX idempotency_age ON idempotency (created_at);

-- Which installation this database belongs to. The media storage holds the same
-- id, so that neither is used with the other of another installation.
CREATE TABLE installation (
	only_row   BIGINT PRIMARY KEY,
	id         TEXT NOT NULL,
	created_at BIGINT NOT NULL
);

-- Facts about the installation itself, such as that its first account exists.
CREATE TABLE setting (
	name  TEXT PRIMARY KEY,
	value TEXT NOT NULL
);

-- What operators did: who, what, to which account or thing, and why. Rows are written
-- with the change that they are about, and are kept.
CREATE TABLE operator_action (
	id       TEXT PRIMARY KEY, -- ordered by time
	at       BIGINT NOT NULL,
	operator TEXT NOT NULL,    -- a wallet, or "command line"
	action   TEXT NOT NULL,
	wallet   TEXT NOT NULL,    -- of the account concerned, may be empty
	target   TEXT NOT NULL,    -- the id of the thing concerned, may be empty
	detail   TEXT NOT NULL,
	reason   TEXT NOT NULL
);
CREATE INDEX operator_action_wallet ON operator_action (wallet, id);
CREATE INDEX operator_action_operator ON operator_action (operator, id);

-- What the content filter refused, so that operators find its false alarms. Only the
-- newest rows are kept: a number for each account, a number in all, and for a time.
CREATE TABLE filter_refusal (
	id         TEXT PRIMARY KEY, -- ordered by time
	at         BIGINT NOT NULL,
	wallet     TEXT NOT NULL REFERENCES account (wallet),
	place      TEXT NOT NULL,    -- workflow or tool
	source     TEXT NOT NULL,    -- what was refused; a second refusal of the same adds no row
	tool       TEXT NOT NULL,
	categories TEXT NOT NULL,
	excerpt    TEXT NOT NULL,
	verdict    TEXT NOT NULL,    -- empty until an operator has judged
	note       TEXT NOT NULL,
	judged_by  TEXT NOT NULL,
	judged_at  BIGINT NOT NULL
);
CREATE UNIQUE INDEX filter_refusal_source ON filter_refusal (source);
CREATE INDEX filter_refusal_wallet ON filter_refusal (wallet, id);

-- Money

-- Purses: one row an account and token, in millionths.
CREATE TABLE purse (
	wallet  TEXT NOT NULL REFERENCES account (wallet),
	token   TEXT NOT NULL,
	granted BIGINT NOT NULL,
	spent   BIGINT NOT NULL,
	held    BIGINT NOT NULL,
	PRIMARY KEY (wallet, token),
	CHECK (held >= 0 AND spent >= 0 AND granted - spent - held >= 0)
);

-- The ledger: every change of a purse. The key names what caused it, so that
-- the same cause is never booked twice.
CREATE TABLE ledger (
	cause  TEXT NOT NULL,
	kind   TEXT NOT NULL,
	token  TEXT NOT NULL,
	wallet TEXT NOT NULL REFERENCES account (wallet),
	amount BIGINT NOT NULL,
	at     BIGINT NOT NULL,
	app    TEXT NOT NULL,
	PRIMARY KEY (cause, kind, token)
) /* clustered */;
CREATE INDEX ledger_wallet ON ledger (wallet, at);

-- Money held for work under way. A hold is closed once, by a settlement or a
-- release.
CREATE TABLE hold (
	cause  TEXT NOT NULL,
	token  TEXT NOT NULL,
	wallet TEXT NOT NULL REFERENCES account (wallet),
	amount BIGINT NOT NULL,
	at     BIGINT NOT NULL,
	PRIMARY KEY (cause, token)
) /* clustered */;

-- The last thing that was set about an account's plan.
CREATE TABLE subscription (
	wallet       TEXT PRIMARY KEY REFERENCES account (wallet),
	tier         TEXT NOT NULL,
	term         TEXT NOT NULL,
	provider     TEXT NOT NULL,
	status       TEXT NOT NULL,
	since        BIGINT NOT NULL,
	period_start BIGINT NOT NULL,
	period_end   BIGINT NOT NULL,
	renews       BOOLEAN NOT NULL,
	canceled     BOOLEAN NOT NULL
);

-- What was set about the plans of accounts, and when: each is valid until the next.
CREATE TABLE subscription_change (
	wallet       TEXT NOT NULL REFERENCES account (wallet),
	at           BIGINT NOT NULL,
	tier         TEXT NOT NULL,
	term         TEXT NOT NULL,
	provider     TEXT NOT NULL,
	status       TEXT NOT NULL,
	since        BIGINT NOT NULL,
	period_start BIGINT NOT NULL,
	period_end   BIGINT NOT NULL,
	renews       BOOLEAN NOT NULL,
	canceled     BOOLEAN NOT NULL,
	PRIMARY KEY (wallet, at)
) /* clustered */;

-- What a plan has covered in each of its daily windows, which begin at the time of
-- day at which the billing period began.
CREATE TABLE plan_window (
	wallet TEXT NOT NULL,
	start  BIGINT NOT NULL,
	jobs   BIGINT NOT NULL,
	spark  BIGINT NOT NULL,
	usd    BIGINT NOT NULL,
	PRIMARY KEY (wallet, start)
) /* clustered */;

-- The records that the counters include. They are kept: "atelier ledger verify"
-- recomputes the counters from them after the jobs were deleted.
CREATE TABLE work_record (
	id               /* serial */ PRIMARY KEY,
	wallet           TEXT NOT NULL,
	cause            TEXT NOT NULL,    -- as in the ledger; of a job and its attempt, or of a round of a model
	at               BIGINT NOT NULL,
	app              TEXT NOT NULL,
	network          TEXT NOT NULL,    -- empty for work that is not a render
	model_id         TEXT NOT NULL,
	failed           BOOLEAN NOT NULL, -- the worker failed: nothing was paid
	by_plan          BOOLEAN NOT NULL,
	spark            BIGINT NOT NULL,  -- what the work cost, by balance or by plan
	usd              BIGINT NOT NULL,
	spark_spent      BIGINT NOT NULL,
	paid_spark_spent BIGINT NOT NULL,
	svc_spent        BIGINT NOT NULL,
	worker           TEXT NOT NULL,    -- the account of the worker; empty if it is not known
	nft              TEXT NOT NULL,
	work_ms          BIGINT NOT NULL,
	render_ms        BIGINT NOT NULL,
	switch_ms        BIGINT NOT NULL,
	priming_ms       BIGINT NOT NULL,
	pay_usd          BIGINT NOT NULL,  -- what the worker earns
	pay_svc          BIGINT NOT NULL
);
CREATE INDEX work_record_cause ON work_record (cause) WHERE network = '';

-- One task at a time counts records: it locks this row.
CREATE TABLE work_count (
	only_row BIGINT PRIMARY KEY,
	counted  BIGINT NOT NULL  -- the number of the last record that is counted
);
INSERT INTO work_count (only_row, counted) VALUES (1, 0);

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

-- What accounts used, by application and model. The empty day is the lifetime, here
-- and below.
CREATE TABLE usage_part (
	wallet           TEXT NOT NULL,
	app              TEXT NOT NULL,
	network          TEXT NOT NULL,
	model_id         TEXT NOT NULL,
	day              TEXT NOT NULL,
	jobs             BIGINT NOT NULL,
	plan_jobs        BIGINT NOT NULL,
	plan_spark       BIGINT NOT NULL,
	plan_usd         BIGINT NOT NULL,
	spark_spent      BIGINT NOT NULL,
	paid_spark_spent BIGINT NOT NULL,
	svc_spent        BIGINT NOT NULL,
	spark            BIGINT NOT NULL,
	PRIMARY KEY (wallet, day, app, network, model_id)
) /* clustered */;
CREATE INDEX usage_part_model ON usage_part (model_id, day, network);

-- What workers earn, by month, worker and who asked. An empty worker has the totals:
-- by network, and by who asked. A record of a month that is closed counts for the next open
-- one.
CREATE TABLE worker_pay (
	worker     TEXT NOT NULL,
	month      TEXT NOT NULL,   -- YYYY-MM
	network    TEXT NOT NULL,
	nft        TEXT NOT NULL,
	wallet     TEXT NOT NULL,   -- who asked
	jobs       BIGINT NOT NULL,
	plan_spark BIGINT NOT NULL, -- renders that a plan covered
	usd        BIGINT NOT NULL, -- what they earn at most: the pool of the plan may have less
	svc        BIGINT NOT NULL, -- what the other renders earn
	PRIMARY KEY (worker, month, network, nft, wallet)
) /* clustered */;
CREATE INDEX worker_pay_month ON worker_pay (month);

-- What the plan of an account has paid for a month that is closed, and the part of it that
-- its workers shared.
CREATE TABLE plan_pool (
	month  TEXT NOT NULL,
	wallet TEXT NOT NULL,
	income BIGINT NOT NULL,
	pool   BIGINT NOT NULL,
	due    BIGINT NOT NULL, -- what the renders would have earned at most
	PRIMARY KEY (month, wallet)
) /* clustered */;

-- When a node first saw that a month has ended. The month is closed a day later, unless a
-- clock says that it has not ended.
CREATE TABLE month_end (
	month TEXT PRIMARY KEY,
	at    BIGINT NOT NULL
);

-- The months that are closed.
CREATE TABLE earning_month (
	month     TEXT PRIMARY KEY,
	closed_at BIGINT NOT NULL
);

-- What workers have earned in a month that is closed.
CREATE TABLE earning (
	wallet     TEXT NOT NULL,
	month      TEXT NOT NULL, -- YYYY-MM
	network    TEXT NOT NULL,
	plan_spark BIGINT NOT NULL,
	usd        BIGINT NOT NULL,
	svc        BIGINT NOT NULL,
	claim      TEXT NOT NULL, -- empty until it is claimed
	claimed_at BIGINT NOT NULL,
	PRIMARY KEY (wallet, month, network)
) /* clustered */;

-- Claims of earnings. One that is large or odd waits for an operator.
CREATE TABLE earning_claim (
	id         TEXT PRIMARY KEY,
	wallet     TEXT NOT NULL,
	at         BIGINT NOT NULL,
	usd        BIGINT NOT NULL,
	svc        BIGINT NOT NULL,
	state      TEXT NOT NULL, -- waiting, paid or refused
	reasons    TEXT NOT NULL, -- why it waited; a JSON list
	decided_at BIGINT NOT NULL,
	decision   TEXT NOT NULL  -- the operator's words
);
CREATE INDEX earning_claim_waiting ON earning_claim (at) WHERE state = 'waiting';

-- Jobs and workers

-- Work that must survive a crash: render jobs, leased by workers.
CREATE TABLE job (
	id             TEXT PRIMARY KEY,
	project_id     TEXT NOT NULL,
	wallet         TEXT NOT NULL REFERENCES account (wallet),
	owner_kind     TEXT NOT NULL,                  -- what it is a part of: workflow, lora or spot_check
	owner_id       TEXT NOT NULL,
	owner_part     TEXT NOT NULL,
	spec           TEXT NOT NULL,
	network        TEXT NOT NULL,
	model_id       TEXT NOT NULL,
	class          TEXT NOT NULL,                  -- jobs of one class of an account are limited together
	class_limit    BIGINT NOT NULL,
	state          TEXT NOT NULL,
	turn           BIGINT NOT NULL,                -- its place in the queue
	attempt        BIGINT NOT NULL,
	cancel         BOOLEAN NOT NULL,               -- it was asked for; the worker has yet to stop
	worker_id      TEXT NOT NULL,
	lease_until    BIGINT NOT NULL,
	progress       DOUBLE PRECISION NOT NULL,
	message        TEXT NOT NULL,
	charge         TEXT NOT NULL,
	error          TEXT NOT NULL,
	created_at     BIGINT NOT NULL,
	started_at     BIGINT NOT NULL,
	ended_at       BIGINT NOT NULL,
	external_ref   TEXT NOT NULL DEFAULT '',       -- identifies the render at a vendor
	unresolved     BIGINT NOT NULL DEFAULT 0,      -- how often its outcome at the vendor was unknown
	not_before     BIGINT NOT NULL DEFAULT 0,      -- no worker gets it before
	resolved       BOOLEAN NOT NULL DEFAULT FALSE, -- an operator has ended it
	leases         BIGINT NOT NULL DEFAULT 0,
	cancel_at      BIGINT NOT NULL DEFAULT 0,
	turn_used      BIGINT NOT NULL DEFAULT 0,
	turn_typical   BIGINT NOT NULL DEFAULT 0,
	counted        BIGINT NOT NULL DEFAULT 0,      -- how much of its time the turns of its account include, in milliseconds
	unserved_since BIGINT NOT NULL DEFAULT 0,      -- since when no connected worker offers its model; 0 while one does
	personal_loras BIGINT NOT NULL DEFAULT 0,
	error_code     TEXT NOT NULL DEFAULT '',
	dropped_by     TEXT NOT NULL DEFAULT '',
	dropped_name   TEXT NOT NULL DEFAULT '',
	avoid_until    BIGINT NOT NULL DEFAULT 0,      -- until when others than the worker that dropped it are preferred
	passed_at      BIGINT NOT NULL DEFAULT 0,      -- since when later jobs are taken before it
	requeued_at    BIGINT NOT NULL DEFAULT 0,
	takers         TEXT NOT NULL DEFAULT ''        -- the accounts whose workers alone get it, separated by spaces; any if it is empty
);
CREATE UNIQUE INDEX job_project ON job (project_id);
CREATE INDEX job_owner ON job (owner_kind, owner_id);
CREATE INDEX job_queue ON job (network, turn, id) WHERE state = 'queued';
CREATE INDEX job_class ON job (wallet, class) WHERE state = 'leased' AND class <> '';
CREATE INDEX job_unresolved ON job (id) WHERE state = 'queued' AND unresolved > 0;
CREATE INDEX job_leased ON job (worker_id, lease_until) WHERE state = 'leased';
CREATE INDEX job_unserved ON job (unserved_since) WHERE state = 'queued' AND unserved_since > 0;
CREATE INDEX job_unsuccessful ON job (id) WHERE state = 'failed' OR state = 'cancelled';
CREATE INDEX job_failed_at ON job (ended_at) WHERE state = 'failed';

-- The last turn that each account was given in each network: accounts take
-- turns, however many jobs one of them brings at once.
CREATE TABLE job_turn (
	wallet  TEXT NOT NULL REFERENCES account (wallet),
	network TEXT NOT NULL,
	turn    BIGINT NOT NULL,
	used    BIGINT NOT NULL DEFAULT 0,
	typical BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (wallet, network)
);

-- The turn at which each network stands: that of the job claimed last.
CREATE TABLE job_front (
	network TEXT PRIMARY KEY,
	turn    BIGINT NOT NULL
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

-- What jobs have made.
CREATE TABLE artifact (
	id           TEXT NOT NULL,
	project_id   TEXT NOT NULL,
	job_id       TEXT NOT NULL REFERENCES job (id),
	position     BIGINT NOT NULL,
	kind         TEXT NOT NULL,
	content_type TEXT NOT NULL,
	object_key   TEXT NOT NULL,
	bytes        BIGINT NOT NULL,
	width        BIGINT NOT NULL,
	height       BIGINT NOT NULL,
	duration     DOUBLE PRECISION NOT NULL,
	seed         BIGINT NOT NULL,
	metadata     TEXT NOT NULL,
	PRIMARY KEY (job_id, position)
) /* clustered */;
CREATE UNIQUE INDEX artifact_key ON artifact (object_key);

-- Workers that are connected.
CREATE TABLE worker (
	id                 TEXT PRIMARY KEY,
	wallet             TEXT NOT NULL REFERENCES account (wallet),
	name               TEXT NOT NULL,
	network            TEXT NOT NULL,
	models             TEXT NOT NULL,
	loaded             TEXT NOT NULL,
	capacity           BIGINT NOT NULL,
	nft_token_id       TEXT NOT NULL,
	version            TEXT NOT NULL,
	gpu                TEXT NOT NULL,
	draining           BOOLEAN NOT NULL,
	created_at         BIGINT NOT NULL,
	seen_at            BIGINT NOT NULL,
	fallback           BOOLEAN NOT NULL DEFAULT FALSE,
	seen_before        BIGINT NOT NULL DEFAULT 0,
	unavailable        TEXT NOT NULL DEFAULT '',   -- why it takes no jobs for now
	changed_at         BIGINT NOT NULL DEFAULT 0,
	recent             TEXT NOT NULL DEFAULT '[]', -- models whose jobs it got since it reported what it has loaded
	switches           BIGINT NOT NULL DEFAULT 0,  -- jobs for which it had to load another model
	claimed_at         BIGINT NOT NULL DEFAULT 0,
	not_claiming_since BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX worker_seen ON worker (seen_at);
CREATE INDEX worker_wallet ON worker (wallet);

-- Which connected workers serve a model.
CREATE TABLE worker_model (
	network      TEXT NOT NULL,
	model_id     TEXT NOT NULL,
	worker_id    TEXT NOT NULL REFERENCES worker (id) ON DELETE CASCADE,
	completed_at BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (network, model_id, worker_id)
) /* clustered */;
CREATE INDEX worker_model_worker ON worker_model (worker_id);

-- Which account's workers may name an NFT: the first whose worker named it, or the one
-- that an operator gave it to.
CREATE TABLE nft (
	id         TEXT PRIMARY KEY, -- a positive integer
	wallet     TEXT NOT NULL REFERENCES account (wallet),
	claimed_at BIGINT NOT NULL
);
CREATE INDEX nft_wallet ON nft (wallet);

-- Counters of workers, by account, network, NFT and day. The rows of the empty
-- wallet are the totals of a network.
CREATE TABLE worker_count (
	wallet       TEXT NOT NULL,
	network      TEXT NOT NULL,
	nft          TEXT NOT NULL,
	day          TEXT NOT NULL,
	jobs         BIGINT NOT NULL,
	errors       BIGINT NOT NULL,
	connected_ms BIGINT NOT NULL,
	work_ms      BIGINT NOT NULL,
	render_ms    BIGINT NOT NULL,
	switch_ms    BIGINT NOT NULL,
	priming_ms   BIGINT NOT NULL,
	spark        BIGINT NOT NULL,
	usd          BIGINT NOT NULL,
	plan_spark   BIGINT NOT NULL,
	PRIMARY KEY (wallet, day, network, nft)
) /* clustered */;
CREATE INDEX worker_count_nft ON worker_count (nft, day) WHERE nft <> '';

-- Completed renders by model, with the same keys as worker_count.
CREATE TABLE worker_use (
	wallet   TEXT NOT NULL,
	network  TEXT NOT NULL,
	nft      TEXT NOT NULL,
	model_id TEXT NOT NULL,
	day      TEXT NOT NULL,
	jobs     BIGINT NOT NULL,
	spark    BIGINT NOT NULL,
	work_ms  BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (wallet, day, network, nft, model_id)
) /* clustered */;
CREATE INDEX worker_use_nft ON worker_use (nft, day) WHERE nft <> '';
CREATE INDEX worker_use_model ON worker_use (model_id, day, network);

-- Which accounts and NFTs had a worker connected on a day.
CREATE TABLE worker_login (
	kind    TEXT NOT NULL, -- wallet or nft
	network TEXT NOT NULL,
	day     TEXT NOT NULL,
	name    TEXT NOT NULL,
	PRIMARY KEY (kind, network, day, name)
) /* clustered */;

-- The largest number of workers that were connected at a heartbeat of the day. The
-- empty network is both networks together.
CREATE TABLE worker_online (
	network TEXT NOT NULL,
	day     TEXT NOT NULL,
	workers BIGINT NOT NULL,
	PRIMARY KEY (network, day)
) /* clustered */;

-- Renders that are made again by workers of trusted accounts and compared.
CREATE TABLE spot_check (
	id         TEXT PRIMARY KEY, -- of the job that is checked
	wallet     TEXT NOT NULL,    -- who asked for it
	network    TEXT NOT NULL,
	model_id   TEXT NOT NULL,
	state      TEXT NOT NULL,    -- open, same, wrong or unclear
	at_fault   TEXT NOT NULL,    -- whose worker has made something else than two of those
	reason     TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	decided_at BIGINT NOT NULL
) /* clustered */;
CREATE INDEX spot_check_open ON spot_check (created_at) WHERE state = 'open';
CREATE INDEX spot_check_created ON spot_check (created_at, id);

-- The renders of each, the one that is checked first.
CREATE TABLE spot_check_render (
	check_id TEXT NOT NULL,
	position BIGINT NOT NULL,
	job_id   TEXT NOT NULL,
	wallet   TEXT NOT NULL, -- whose worker has made it; empty before
	worker   TEXT NOT NULL, -- the name of that worker
	PRIMARY KEY (check_id, position)
) /* clustered */;
CREATE INDEX spot_check_render_wallet ON spot_check_render (wallet);

-- Media

-- Whose a project id is: the first account that names it.
CREATE TABLE project_claim (
	project_id TEXT PRIMARY KEY,
	wallet     TEXT NOT NULL REFERENCES account (wallet),
	claimed_at BIGINT NOT NULL
);

-- Uploads that were allowed: one row a signed form. The object of a key is
-- never uploaded before its row is committed, and a key is never used again,
-- so an object without a row is garbage for good.
CREATE TABLE upload (
	object_key   TEXT PRIMARY KEY,
	project_id   TEXT NOT NULL,
	slot         TEXT NOT NULL,
	wallet       TEXT NOT NULL REFERENCES account (wallet),
	content_type TEXT NOT NULL,
	created_at   BIGINT NOT NULL,
	open_until   BIGINT NOT NULL,
	posts        BIGINT NOT NULL DEFAULT 0,
	reserved     BIGINT NOT NULL DEFAULT 0,
	used_at      BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX upload_slot ON upload (project_id, slot, created_at);
CREATE INDEX upload_open_until ON upload (open_until);

-- What an account has uploaded on a UTC day.
CREATE TABLE upload_day (
	wallet TEXT NOT NULL REFERENCES account (wallet),
	day    TEXT NOT NULL,
	forms  BIGINT NOT NULL,
	bytes  BIGINT NOT NULL,
	PRIMARY KEY (wallet, day)
);

-- Saved assets.
CREATE TABLE asset (
	id             TEXT PRIMARY KEY,
	wallet         TEXT NOT NULL REFERENCES account (wallet),
	name           TEXT NOT NULL,
	bytes          BIGINT NOT NULL,
	content_type   TEXT NOT NULL,
	sha256         TEXT NOT NULL,
	state          TEXT NOT NULL,
	object_key     TEXT NOT NULL,
	created_at     BIGINT NOT NULL,
	finalize_until BIGINT NOT NULL,
	used_at        BIGINT NOT NULL,
	busy_until     BIGINT NOT NULL
);
CREATE UNIQUE INDEX asset_sha256 ON asset (wallet, sha256);
CREATE UNIQUE INDEX asset_key ON asset (object_key);
CREATE INDEX asset_wallet ON asset (wallet, created_at);
CREATE INDEX asset_state ON asset (state, used_at);

-- What an account has done with saved assets on a UTC day.
CREATE TABLE asset_day (
	wallet   TEXT NOT NULL REFERENCES account (wallet),
	day      TEXT NOT NULL,
	bindings BIGINT NOT NULL,
	bytes    BIGINT NOT NULL,
	PRIMARY KEY (wallet, day)
);

-- The library of an account: the artifacts that its workflows made and that it has
-- not deleted. The files are in artifact; here is what they are found and shown by.
CREATE TABLE library (
	wallet      TEXT NOT NULL,
	kind        TEXT NOT NULL,
	created_at  BIGINT NOT NULL,
	id          TEXT NOT NULL,
	job_id      TEXT NOT NULL,
	position    BIGINT NOT NULL,
	workflow_id TEXT NOT NULL,
	step_id     TEXT NOT NULL,
	tool        TEXT NOT NULL,
	model_id    TEXT NOT NULL,
	prompt      TEXT NOT NULL, -- shortened
	derived     TEXT NOT NULL, -- empty until the file was read, then done or none
	colors      TEXT NOT NULL, -- of the thumbnail, 4 by 4, in hexadecimal
	peaks       TEXT NOT NULL, -- of the sound, in hexadecimal
	PRIMARY KEY (wallet, kind, created_at, id)
) /* clustered */;
CREATE UNIQUE INDEX library_id ON library (id);

-- How many artifacts of a kind an account has of each UTC day, counted from 1970.
CREATE TABLE library_day (
	wallet  TEXT NOT NULL,
	kind    TEXT NOT NULL,
	day     BIGINT NOT NULL,
	items   BIGINT NOT NULL,
	deleted BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (wallet, kind, day)
) /* clustered */;

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
	job_id       TEXT NOT NULL,    -- of the import
	tries        BIGINT NOT NULL,  -- of the import that failed
	rules        BIGINT NOT NULL,  -- the version of the import rules that were applied
	held         BOOLEAN NOT NULL, -- in review because the operator holds it back
	revision     BIGINT NOT NULL,
	created_at   BIGINT NOT NULL,
	updated_at   BIGINT NOT NULL
);
CREATE INDEX personal_lora_wallet ON personal_lora (wallet, created_at, id);
CREATE INDEX personal_lora_status ON personal_lora (status, id);
CREATE INDEX personal_lora_object ON personal_lora (object_key);
CREATE INDEX personal_lora_created ON personal_lora (created_at, id);
CREATE INDEX personal_lora_status_created ON personal_lora (status, created_at, id);

-- How many imports of an account were accepted on a UTC day.
CREATE TABLE lora_import_day (
	wallet  TEXT NOT NULL,
	day     TEXT NOT NULL,
	imports BIGINT NOT NULL,
	PRIMARY KEY (wallet, day)
);

-- Workflows, templates and chat

-- Workflows. The plan is what was accepted and never changes; the state is
-- what became of it. Both are documents: what is asked for is a column.
CREATE TABLE workflow (
	id         TEXT PRIMARY KEY,
	wallet     TEXT NOT NULL REFERENCES account (wallet),
	status     TEXT NOT NULL,
	waiting    TEXT NOT NULL,
	plan       TEXT NOT NULL,
	state      TEXT NOT NULL,
	events     BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE INDEX workflow_list ON workflow (wallet, updated_at, id);
CREATE INDEX workflow_active ON workflow (wallet) WHERE status IN ('queued', 'running');
CREATE INDEX workflow_paused ON workflow (wallet) WHERE status = 'waiting_for_user';

-- What lists of workflows are filtered by. It is apart from the documents, which are
-- too large to scan. Only the status changes.
CREATE TABLE workflow_summary (
	wallet      TEXT NOT NULL REFERENCES account (wallet),
	created_at  BIGINT NOT NULL,
	id          TEXT NOT NULL,
	status      TEXT NOT NULL,
	kind        TEXT NOT NULL, -- of its result
	template_id TEXT NOT NULL,
	words       TEXT NOT NULL, -- of its title and prompts, in lower case
	PRIMARY KEY (wallet, created_at, id)
) /* clustered */;
CREATE INDEX workflow_summary_status ON workflow_summary (wallet, status, kind);

-- Which artifacts a workflow was started with. They are kept until it is over.
CREATE TABLE workflow_input (
	object_key  TEXT NOT NULL,
	workflow_id TEXT NOT NULL,
	PRIMARY KEY (object_key, workflow_id)
) /* clustered */;
CREATE INDEX workflow_input_workflow ON workflow_input (workflow_id);

-- Workflow templates. The document is the template as it is read; what is
-- asked for is a column. The owner is a wallet, or empty for the operator,
-- whose templates are everybody's. Two accounts may use the same id and learn
-- nothing of each other.
CREATE TABLE template (
	owner      TEXT NOT NULL,
	id         TEXT NOT NULL,
	version    TEXT NOT NULL,
	exposed    BOOLEAN NOT NULL,
	priority   DOUBLE PRECISION NOT NULL,
	document   TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (owner, id)
);
CREATE INDEX template_list ON template (owner, updated_at, id);
CREATE INDEX template_exposed ON template (owner, exposed, priority, id);

-- The last version of a public template that was withdrawn. If it is published again, its
-- versions go on.
CREATE TABLE withdrawn_template (
	id      TEXT PRIMARY KEY,
	version TEXT NOT NULL
);

-- The logs of workflows and chat runs. A sequence comes from the counter of
-- the parent, in the transaction that tells the fact.
CREATE TABLE event (
	log      TEXT NOT NULL,
	sequence BIGINT NOT NULL,
	type     TEXT NOT NULL,
	at       BIGINT NOT NULL,
	message  TEXT NOT NULL,
	payload  TEXT NOT NULL,
	status   TEXT NOT NULL,
	waiting  TEXT NOT NULL,
	PRIMARY KEY (log, sequence)
) /* clustered */;

-- Sessions: what a chat remembers between its messages. A session is named by
-- its account; two accounts may use the same name and learn nothing of each
-- other. The manifest is the list of assets as the tools of the creative agent
-- keep it.
CREATE TABLE session (
	wallet     TEXT NOT NULL,
	id         TEXT NOT NULL,
	manifest   TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (wallet, id)
);
CREATE INDEX session_age ON session (updated_at, wallet, id);

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
	updated_at BIGINT NOT NULL,
	session    TEXT NOT NULL DEFAULT ''
);
CREATE INDEX chat_run_status ON chat_run (status, wallet);
CREATE INDEX chat_run_session ON chat_run (wallet, session, id) WHERE session <> '';
CREATE INDEX chat_run_changed ON chat_run (wallet, updated_at, id);

-- The objects of its account that a chat run refers to. Uploads among them are kept for as
-- long as the run is.
CREATE TABLE run_file (
	run_id     TEXT NOT NULL,
	object_key TEXT NOT NULL,
	PRIMARY KEY (run_id, object_key)
);
CREATE INDEX run_file_by_key ON run_file (object_key);

-- The nodes that work on runs. The runs of a node whose lease has ended are
-- taken by another.
CREATE TABLE run_node (
	id          TEXT PRIMARY KEY,
	lease_until BIGINT NOT NULL
);

-- Conversations: the chat runs of an account that have the same session.
CREATE TABLE conversation (
	wallet     TEXT NOT NULL REFERENCES account (wallet),
	session    TEXT NOT NULL,
	title      TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL, -- when its last run was started
	PRIMARY KEY (wallet, session)
) /* clustered */;
CREATE INDEX conversation_list ON conversation (wallet, updated_at, session);

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

-- How many bytes each chat run and each workflow takes in the database, with its log, its
-- jobs and what they made, as counted when it was started, when it waited for its user and
-- when it ended; and each session of chats. Those that ended first are deleted first when
-- their account has too much.
CREATE TABLE stored (
	id       TEXT PRIMARY KEY, -- of the run or workflow, or session/WALLET/ID
	wallet   TEXT NOT NULL,
	ended_at BIGINT NOT NULL,  -- 0 while it is not over; of a session, when it changed last
	bytes    BIGINT NOT NULL
) /* clustered */;
CREATE INDEX stored_oldest ON stored (wallet, ended_at, id, bytes);

-- The sum of an account.
CREATE TABLE stored_total (
	wallet TEXT PRIMARY KEY,
	bytes  BIGINT NOT NULL
) /* clustered */;

