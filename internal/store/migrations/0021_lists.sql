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
ALTER TABLE chat_run ADD COLUMN session TEXT NOT NULL DEFAULT '';
CREATE INDEX chat_run_session ON chat_run (wallet, session, id) WHERE session <> '';
