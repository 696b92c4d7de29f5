-- What accounts have set, and programs of theirs find again, such as the model of a protocol.
CREATE TABLE account_setting (
	wallet TEXT NOT NULL REFERENCES account (wallet),
	name   TEXT NOT NULL,
	value  TEXT NOT NULL,
	PRIMARY KEY (wallet, name)
) /* clustered */;
