package store_test

import (
	"errors"
	"fmt"
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
func TestNFTsGetTheirOwners(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		var statements []string
		for _, name := range []string{"ann", "bob", "eve"} {
			statements = append(statements, fmt.Sprintf(`INSERT INTO account (wallet, username, email, email_verified, worker, unfiltered, created_at)
				VALUES ('0x%s', '%s', '', FALSE, TRUE, FALSE, 1)`, name, name))
		}
		for _, c := range []struct {
			wallet, day, nft string
			jobs             int
		}{
			{"0xann", "2026-10-02", "7", 5}, {"0xann", "", "7", 5}, {"0xbob", "2026-10-01", "7", 1}, {"0xbob", "", "7", 1}, // bob was first
			{"0xeve", "2026-09-01", "7", 0}, {"0xeve", "", "7", 0}, // eve was connected only
			{"0xann", "2026-10-02", "8", 3}, {"0xann", "", "8", 3}, {"0xgone", "2026-09-01", "8", 3}, {"0xgone", "", "8", 3},
			{"0xeve", "2026-09-01", "9", 0}, {"0xeve", "", "9", 0},
			{"0xeve", "2026-09-01", "10", 0}, {"0xeve", "", "10", 0},
			{"0xann", "2026-09-01", "", 4}, {"", "2026-09-01", "", 4},
		} {
			statements = append(statements, fmt.Sprintf(`INSERT INTO worker_count (wallet, network, nft, day, jobs, errors, connected_ms, work_ms, render_ms, switch_ms, priming_ms, spark, usd, plan_spark, pay_usd, pay_svc)
				VALUES ('%s', 'fast', '%s', '%s', %d, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)`, c.wallet, c.nft, c.day, c.jobs))
		}
		for i, nft := range []string{"7", "10", ""} {
			statements = append(statements, fmt.Sprintf(`INSERT INTO worker (id, wallet, name, network, models, loaded, capacity, nft_token_id, version, gpu, draining, created_at, seen_at)
				VALUES ('w%d', '0xann', 'hand', 'fast', '[]', '[]', 1, '%s', '', '', FALSE, 1, 1)`, i, nft))
		}
		db := upgraded(t, o, 28, statements...)
		write(t, db, func(tx *store.Tx) error {
			owned, err := tx.NFTsOf([]atelier.Wallet{"0xann", "0xbob", "0xeve", "0xgone"})
			if fmt.Sprint(owned) != "map[0xann:[8 10] 0xbob:[7]]" {
				t.Errorf("got %v", owned)
			}
			return err
		})
	})
}
