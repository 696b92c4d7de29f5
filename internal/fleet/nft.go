package fleet

import (
	"errors"
	"fmt"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// claimNFT lets a worker of an account name an NFT, unless it is empty. An NFT belongs to the
// first account whose worker names it, until an operator moves it.
func (e *Engine) claimNFT(tx *store.Tx, w atelier.Wallet, id string, now time.Time) error {
	for id != "" {
		owner, err := tx.NFTOwner(id)
		switch {
		case err == nil && owner == w:
			return nil
		case err == nil:
			return refuseNFT(fmt.Sprintf("The NFT %s belongs to another account, whose workers alone may name it. An operator can move it.", id))
		case !errors.Is(err, store.ErrNotFound):
			return err
		}
		if err := tx.LockAccount(w); err != nil { // concurrent calls count too
			return err
		}
		n, err := tx.CountNFTs(w)
		if err != nil {
			return err
		}
		if e.opts.NFTs > 0 && n >= e.opts.NFTs {
			return refuseNFT(fmt.Sprintf("This account has %d NFTs, which is the limit. Name one of them, or ask an operator to add the NFT %s.", n, id))
		}
		if claimed, err := tx.ClaimNFT(id, w, now); claimed || err != nil {
			return err
		}
		// A worker of another account named it first.
	}
	return nil
}

func refuseNFT(message string) error {
	return &atelier.Error{Code: atelier.CodeForbidden, Field: "nftTokenId", Message: message}
}

// countNFT is a worker as its work is counted: without an NFT that is not its account's any
// more. The NFT is active on the day, however short the session is.
func countNFT(tx *store.Tx, w atelier.Worker, now time.Time) (atelier.Worker, error) {
	if w.NFTTokenID == "" {
		return w, nil
	}
	owner, err := tx.NFTOwner(w.NFTTokenID)
	if errors.Is(err, store.ErrNotFound) || err == nil && owner != w.Wallet {
		w.NFTTokenID = ""
		return w, nil
	}
	if err != nil {
		return w, err
	}
	return w, tx.NoteLogin(w.Wallet, w.Network, w.NFTTokenID, store.Day(now))
}
