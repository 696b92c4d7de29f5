package store_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

func TestNFTs(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		write(t, db, func(tx *store.Tx) error {
			return errors.Join(tx.InsertAccount(atelier.Account{Wallet: "0xann", Username: "ann"}), tx.InsertAccount(atelier.Account{Wallet: "0xbob", Username: "bob"}))
		})
		write(t, db, func(tx *store.Tx) error {
			for i, id := range []string{"10", "9", "10"} {
				if claimed, err := tx.ClaimNFT(id, []atelier.Wallet{"0xann", "0xann", "0xbob"}[i], now); err != nil || claimed != (i < 2) {
					t.Errorf("claim %d of %s: got %v, %v", i, id, claimed, err)
				}
			}
			for _, step := range []struct {
				id         string
				to, before atelier.Wallet
			}{{"10", "0xann", "0xann"}, {"10", "0xbob", "0xann"}, {"8", "0xann", ""}} {
				if before, err := tx.GiveNFT(step.id, step.to, now); err != nil || before != step.before {
					t.Errorf("%+v: got %q, %v", step, before, err)
				}
			}
			if err := tx.RemoveNFT("10", "0xann"); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("remove another account's: got %v", err)
			}
			return nil
		})
		write(t, db, func(tx *store.Tx) error {
			owned, err := tx.NFTsOf([]atelier.Wallet{"0xann", "0xbob", "0xeve"})
			if !slices.Equal(owned["0xann"], []string{"8", "9"}) || !slices.Equal(owned["0xbob"], []string{"10"}) || len(owned) != 2 {
				t.Errorf("got %v", owned)
			}
			if n, err := tx.CountNFTs("0xann"); n != 2 || err != nil {
				t.Errorf("counted %d, %v, want 2", n, err)
			}
			return errors.Join(err, tx.RemoveNFT("9", "0xann"))
		})
		write(t, db, func(tx *store.Tx) error {
			if w, err := tx.NFTOwner("9"); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("a removed one: got %q, %v", w, err)
			}
			w, err := tx.NFTOwner("10")
			if w != "0xbob" {
				t.Errorf("got %q, want 0xbob", w)
			}
			return err
		})
	})
}

// An NFT from before there were owners belongs to the account that completed its first
// renders, or else to one that is connected with it.
