-- Which account's workers may name an NFT: the first whose worker named it, or the one
-- that an operator gave it to.
CREATE TABLE nft (
	id         TEXT PRIMARY KEY, -- a positive integer
	wallet     TEXT NOT NULL REFERENCES account (wallet),
	claimed_at BIGINT NOT NULL
);
CREATE INDEX nft_wallet ON nft (wallet);

-- NFTs with completed renders belong to the account that made the first of them; others
-- that are in use belong to an account whose worker is connected with them.
INSERT INTO nft (id, wallet, claimed_at)
	SELECT c.nft, MIN(c.wallet), 0 FROM worker_count c
	WHERE c.nft <> '' AND c.jobs > 0 AND c.day = (
		SELECT MIN(f.day) FROM worker_count f WHERE f.nft = c.nft AND f.nft <> '' AND f.day <> '' AND f.jobs > 0 AND f.wallet IN (SELECT wallet FROM account))
	AND c.wallet IN (SELECT wallet FROM account)
	GROUP BY c.nft;
INSERT INTO nft (id, wallet, claimed_at)
	SELECT w.nft_token_id, MIN(w.wallet), 0 FROM worker w
	WHERE w.nft_token_id <> '' AND w.nft_token_id NOT IN (SELECT id FROM nft) AND w.wallet IN (SELECT wallet FROM account)
	GROUP BY w.nft_token_id;
