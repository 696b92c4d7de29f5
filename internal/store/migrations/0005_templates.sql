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
