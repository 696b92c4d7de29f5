package store

import (
	"errors"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// NFTOwner finds the account whose workers may name an NFT. ErrNotFound means that no
// worker has named it yet.
func (tx *Tx) NFTOwner(id string) (w atelier.Wallet, err error) {
	err = tx.Row(`SELECT wallet FROM nft WHERE id = $1`, id).Scan(&w)
	return w, err
}

// ClaimNFT makes an NFT that has no owner an account's. It reports false when it has one.
func (tx *Tx) ClaimNFT(id string, w atelier.Wallet, at time.Time) (bool, error) {
	n, err := tx.Exec(`INSERT INTO nft (id, wallet, claimed_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING`, id, string(w), database.Millis(at))
	return n == 1, err
}

// GiveNFT makes an NFT an account's. It returns whose it was before; empty when it had no
// owner.
func (tx *Tx) GiveNFT(id string, w atelier.Wallet, at time.Time) (before atelier.Wallet, err error) {
	for {
		if claimed, err := tx.ClaimNFT(id, w, at); claimed || err != nil {
			return "", err
		}
		err = tx.Row(`SELECT wallet FROM nft WHERE id = $1`+tx.Dialect.ForUpdate, id).Scan(&before)
		if errors.Is(err, ErrNotFound) {
			continue // it was removed meanwhile
		}
		if err != nil || before == w {
			return before, err
		}
		return before, tx.Must(`UPDATE nft SET wallet = $2, claimed_at = $3 WHERE id = $1`, id, string(w), database.Millis(at))
	}
}

// RemoveNFT takes an NFT from an account: the next worker that names it owns it. ErrNotFound
// means that it is not the account's.
func (tx *Tx) RemoveNFT(id string, w atelier.Wallet) error {
	return tx.Must(`DELETE FROM nft WHERE id = $1 AND wallet = $2`, id, string(w))
}

// CountNFTs counts the NFTs of an account.
func (tx *Tx) CountNFTs(w atelier.Wallet) (n int, err error) {
	err = tx.Row(`SELECT COUNT(*) FROM nft WHERE wallet = $1`, string(w)).Scan(&n)
	return n, err
}

// NFTsOf lists the NFTs of several accounts, by wallet and in the order of their numbers.
func (tx *Tx) NFTsOf(wallets []atelier.Wallet) (map[atelier.Wallet][]string, error) {
	out := map[atelier.Wallet][]string{}
	err := tx.Rows(func(scan func(...any) error) error {
		var (
			w  atelier.Wallet
			id string
		)
		err := scan(&w, &id)
		out[w] = append(out[w], id)
		return err
	}, `SELECT wallet, id FROM nft WHERE wallet IN (`+database.Marks(1, len(wallets))+`) ORDER BY LENGTH(id), id`, database.Texts(wallets)...)
	return out, err
}
