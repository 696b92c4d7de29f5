-- What else lists of workflows are filtered by: "tool:NAME" and "model:ID" for each step, and
-- "reason:CODE" for why it ended without a result, or without all of it.
CREATE TABLE workflow_label (
	wallet     TEXT NOT NULL,
	label      TEXT NOT NULL,
	created_at BIGINT NOT NULL, -- of the workflow
	id         TEXT NOT NULL,
	PRIMARY KEY (wallet, label, created_at, id)
) /* clustered */;
CREATE INDEX workflow_label_workflow ON workflow_label (id);

-- Workflows of before, which have no labels yet: a background task reads their documents.
CREATE TABLE workflow_unlabelled (
	id TEXT PRIMARY KEY
) /* clustered */;
INSERT INTO workflow_unlabelled (id) SELECT id FROM workflow;
