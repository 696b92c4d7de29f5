-- What each node has seen, minute by minute, for the dashboard of operators. The rows of some days
-- are kept as they are: a node writes 1440 a day, few enough to add up when they are read.
CREATE TABLE node_sample (
	node      TEXT NOT NULL,
	at        BIGINT NOT NULL,
	queued    BIGINT NOT NULL, -- of the whole installation, as the next two
	active    BIGINT NOT NULL,
	workers   BIGINT NOT NULL,
	started   BIGINT NOT NULL, -- by this node since its sample before, as the next three
	completed BIGINT NOT NULL,
	failed    BIGINT NOT NULL,
	waits     TEXT NOT NULL,   -- JSON: how many of the started jobs waited how long
	memory    BIGINT NOT NULL, -- of this node, as the next
	free      BIGINT NOT NULL, -- -1 where nothing is stored on its disks
	PRIMARY KEY (node, at)
) /* clustered */;
CREATE INDEX node_sample_at ON node_sample (at);
