-- Boards: collections that an account makes of what its library holds.
CREATE TABLE board (
	id         TEXT PRIMARY KEY,
	wallet     TEXT NOT NULL REFERENCES account (wallet),
	name       TEXT NOT NULL,
	folded     TEXT NOT NULL, -- the name in lower case: no two boards of an account have the same
	created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX board_name ON board (wallet, folded);

-- The boards on which workflows put what they make.
CREATE TABLE board_workflow (
	workflow_id TEXT PRIMARY KEY,
	board_id    TEXT NOT NULL REFERENCES board (id) ON DELETE CASCADE
);
CREATE INDEX board_workflow_board ON board_workflow (board_id);

-- What an account has noted about artifacts and saved uploads: which are favourites, their
-- tags, the boards that they are on. The kind, the time and the id are those of the item, so
-- that a list of all items with one mark is read in its order.
CREATE TABLE library_mark (
	wallet     TEXT NOT NULL,
	mark       TEXT NOT NULL, -- favourite, tag or board
	value      TEXT NOT NULL, -- the tag, or the id of the board
	kind       TEXT NOT NULL, -- of the artifact, or upload
	created_at BIGINT NOT NULL,
	id         TEXT NOT NULL,
	PRIMARY KEY (wallet, mark, value, kind, created_at, id)
) /* clustered */;
CREATE INDEX library_mark_id ON library_mark (id);

-- How many items have a mark.
CREATE TABLE library_mark_count (
	wallet TEXT NOT NULL,
	mark   TEXT NOT NULL,
	value  TEXT NOT NULL,
	items  BIGINT NOT NULL,
	PRIMARY KEY (wallet, mark, value)
) /* clustered */;

-- What searches read of an artifact, in lower case: its tags, tool, model and prompt. Of those
-- made before, SQLite changes only the case of ASCII letters.
ALTER TABLE library ADD COLUMN words TEXT NOT NULL DEFAULT '';
UPDATE library SET words = lower(tool || ' ' || model_id || ' ' || prompt);
