-- What accounts keep under a name, to use it again: the words of styles, the filters of views.
CREATE TABLE preset (
	wallet     TEXT NOT NULL REFERENCES account (wallet),
	kind       TEXT NOT NULL, -- style or view
	name       TEXT NOT NULL,
	value      TEXT NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (wallet, kind, name)
) /* clustered */;
