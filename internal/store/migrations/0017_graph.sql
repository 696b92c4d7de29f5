-- The graphs of ComfyUI that operators have brought, each with what makes it a model: the mapping of
-- its arguments and its entry of the catalog, as files of the same content would have them.
CREATE TABLE graph (
	name       TEXT PRIMARY KEY, -- the id of the model
	title      TEXT NOT NULL,
	sid        BIGINT NOT NULL,  -- the number of the model in the catalog
	facts      TEXT NOT NULL,    -- JSON: what was found in the workflow
	graph      TEXT NOT NULL,    -- JSON, in ComfyUI's API format
	mapping    TEXT NOT NULL,    -- YAML
	entry      TEXT NOT NULL,    -- YAML, of the catalog
	revision   BIGINT NOT NULL,  -- counts the changes of the row
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX graph_sid ON graph (sid);
CREATE INDEX graph_order ON graph (created_at, name);

-- Counts the changes of all graphs, so that nodes see cheaply whether there is one.
CREATE TABLE graph_change (
	only_row BIGINT PRIMARY KEY,
	number   BIGINT NOT NULL
);
INSERT INTO graph_change (only_row, number) VALUES (1, 0);
