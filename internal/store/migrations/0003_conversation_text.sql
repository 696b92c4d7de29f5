-- What was asked and answered in a conversation, in lower case, the newest first: searches
-- read it.
CREATE TABLE conversation_text (
	wallet  TEXT NOT NULL,
	session TEXT NOT NULL,
	words   TEXT NOT NULL,
	PRIMARY KEY (wallet, session),
	FOREIGN KEY (wallet, session) REFERENCES conversation (wallet, session) ON DELETE CASCADE
);
