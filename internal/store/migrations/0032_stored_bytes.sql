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

INSERT INTO stored (id, wallet, ended_at, bytes)
	SELECT r.id, r.wallet, CASE WHEN r.status IN ('completed', 'partial_failure', 'failed', 'cancelled') THEN r.updated_at ELSE 0 END,
		2048 + OCTET_LENGTH(r.request) + OCTET_LENGTH(r.state)
		+ (SELECT CAST(COALESCE(SUM(OCTET_LENGTH(payload) + OCTET_LENGTH(message) + 256), 0) AS BIGINT) FROM event WHERE log = r.id)
	FROM chat_run r;
INSERT INTO stored (id, wallet, ended_at, bytes)
	SELECT w.id, w.wallet, CASE WHEN w.status IN ('completed', 'partial_failure', 'failed', 'cancelled') THEN w.updated_at ELSE 0 END,
		2048 + OCTET_LENGTH(w.plan) + OCTET_LENGTH(w.state)
		+ (SELECT CAST(COALESCE(SUM(OCTET_LENGTH(payload) + OCTET_LENGTH(message) + 256), 0) AS BIGINT) FROM event WHERE log = w.id)
		+ (SELECT CAST(COALESCE(SUM(OCTET_LENGTH(spec) + OCTET_LENGTH(charge) + OCTET_LENGTH(error) + 1024), 0) AS BIGINT)
			FROM job WHERE owner_kind = 'workflow' AND owner_id = w.id)
		+ (SELECT CAST(COALESCE(SUM(OCTET_LENGTH(metadata) + 1024), 0) AS BIGINT)
			FROM artifact WHERE job_id IN (SELECT id FROM job WHERE owner_kind = 'workflow' AND owner_id = w.id))
	FROM workflow w;
INSERT INTO stored (id, wallet, ended_at, bytes)
	SELECT 'session/' || wallet || '/' || id, wallet, updated_at, 512 + OCTET_LENGTH(manifest) FROM session;
INSERT INTO stored_total (wallet, bytes) SELECT wallet, CAST(SUM(bytes) AS BIGINT) FROM stored GROUP BY wallet
