-- People who use accounts that they do not share a key of, and how an OpenID provider names them: by issuer and subject,
-- never by an e-mail.
CREATE TABLE person (
	id           TEXT PRIMARY KEY,
	email        TEXT NOT NULL, -- empty where it is not known
	name         TEXT NOT NULL,
	created_at   BIGINT NOT NULL,
	signed_in_at BIGINT NOT NULL -- with a provider, the last time
);
CREATE TABLE identity (
	issuer     TEXT NOT NULL,
	subject    TEXT NOT NULL,
	person     TEXT NOT NULL REFERENCES person (id),
	created_at BIGINT NOT NULL,
	PRIMARY KEY (issuer, subject)
) /* clustered */;
CREATE INDEX identity_person ON identity (person);

-- Who is a member of which account. The key of a membership is shown to nobody: console sessions of the member act with
-- it, and all work of the member counts on its budget.
CREATE TABLE member (
	wallet   TEXT NOT NULL REFERENCES account (wallet),
	person   TEXT NOT NULL REFERENCES person (id),
	role     TEXT NOT NULL,
	source   TEXT NOT NULL,   -- invitation, or group: a group of the provider gave it, and takes it
	since    BIGINT NOT NULL,
	added_by TEXT NOT NULL,   -- the id of a person; empty for the account itself, an operator and a provider
	key_hash TEXT NOT NULL REFERENCES api_key (hash),
	PRIMARY KEY (wallet, person)
) /* clustered */;
CREATE INDEX member_person ON member (person, wallet);

-- Invitations that were not accepted yet. Only the SHA-256 of a code is kept.
CREATE TABLE invitation (
	hash       TEXT PRIMARY KEY,
	id         TEXT NOT NULL,
	wallet     TEXT NOT NULL REFERENCES account (wallet),
	email      TEXT NOT NULL, -- in lower case; empty for whoever has the link
	name       TEXT NOT NULL,
	role       TEXT NOT NULL,
	limits     TEXT NOT NULL, -- with the budget, as those of a key
	created_by TEXT NOT NULL, -- as added_by
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL
) /* clustered */;
CREATE INDEX invitation_wallet ON invitation (wallet, created_at);
CREATE INDEX invitation_email ON invitation (email) WHERE email <> '';

-- The person who has made or uses a key, of a member.
ALTER TABLE api_key ADD COLUMN person TEXT NOT NULL DEFAULT '';
CREATE INDEX api_key_person ON api_key (wallet, person) WHERE person <> '';
