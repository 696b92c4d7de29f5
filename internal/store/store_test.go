package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database/databasetest"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

func init() { databasetest.InShort = "Test" }

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func account(name string) atelier.Account {
	return atelier.Account{Wallet: atelier.Wallet("0x" + name), Username: name, CreatedAt: now}
}

// write makes a change that must succeed.
func write(t *testing.T, db *store.DB, fn func(*store.Tx) error) {
	t.Helper()
	if err := db.Write(t.Context(), fn); err != nil {
		t.Fatalf("write: %v", err)
	}
}

func TestAccountsAreUniqueInAnyCase(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		write(t, db, func(tx *store.Tx) error { return tx.InsertAccount(account("Ann")) })
		for _, a := range []atelier.Account{
			{Wallet: "0XANN", Username: "other", CreatedAt: now},
			{Wallet: "0xother", Username: "ANN", CreatedAt: now},
		} {
			if err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.InsertAccount(a) }); !errors.Is(err, store.ErrExists) {
				t.Errorf("%v: got %v, want ErrExists", a, err)
			}
		}
		err := db.Read(t.Context(), func(tx *store.Tx) error {
			a, err := tx.Account("0xaNN")
			if err == nil && a != account("Ann") {
				t.Errorf("got %+v, want %+v", a, account("Ann"))
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestKeys(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		write(t, db, func(tx *store.Tx) error {
			return errors.Join(tx.InsertAccount(account("ann")),
				tx.InsertKey("h1", "0xann", atelier.APIKey{Hint: "one", CreatedAt: now}),
				tx.InsertKey("h2", "0xann", atelier.APIKey{Hint: "two", CreatedAt: now.Add(time.Second)}))
		})
		owner := func(hash string) (a atelier.Account, err error) {
			err = db.Read(t.Context(), func(tx *store.Tx) error { a, _, err = tx.KeyOwner(hash); return err })
			return a, err
		}
		if a, err := owner("h1"); err != nil || a.Username != "ann" {
			t.Errorf("owner of a valid key: got %+v, %v", a, err)
		}
		write(t, db, func(tx *store.Tx) error { return tx.RevokeKey("h1", now.Add(time.Minute)) })
		for _, hash := range []string{"h1", "unknown"} {
			if _, err := owner(hash); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("owner of %s: got %v, want ErrNotFound", hash, err)
			}
			if err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.RevokeKey(hash, now) }); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("revoke %s: got %v, want ErrNotFound", hash, err)
			}
		}
		err := db.Read(t.Context(), func(tx *store.Tx) error {
			keys, err := tx.Keys("0xann")
			if len(keys) != 2 || keys[0].Hint != "one" || keys[0].RevokedAt.IsZero() || !keys[1].RevokedAt.IsZero() {
				t.Errorf("keys: got %+v", keys)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestSubscriptionRoundTrip(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		write(t, db, func(tx *store.Tx) error { return tx.InsertAccount(account("ann")) })
		read := func() (s atelier.Subscription) {
			if err := db.Read(t.Context(), func(tx *store.Tx) (err error) { s, err = tx.Subscription("0xann"); return err }); err != nil {
				t.Error(err)
			}
			return s
		}
		if got := read(); got.Status != atelier.SubscriptionNone {
			t.Errorf("before anything was set: got %+v", got)
		}
		for _, want := range []atelier.Subscription{
			atelier.Subscribe(atelier.TierUnlimited, atelier.SubscriptionActive, time.Time{}, now),
			atelier.Subscribe(atelier.TierUnlimitedPro, atelier.SubscriptionTrialing, now.Add(time.Hour), now),
		} {
			write(t, db, func(tx *store.Tx) error { return tx.PutSubscription("0xann", want, now) })
			if got := read(); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
	})
}

func TestGrantsAddUpAndAreBookedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		write(t, db, func(tx *store.Tx) error { return tx.InsertAccount(account("ann")) })
		grant := func(cause string) error {
			return db.Write(context.Background(), func(tx *store.Tx) error {
				return tx.Grant(store.LedgerEntry{Wallet: "0xann", Token: atelier.TokenSpark, Kind: "grant", Amount: atelier.MoneyUnit, Cause: cause, At: now})
			})
		}
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				if err := grant(fmt.Sprint("cause", i)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if err := grant("cause7"); !errors.Is(err, store.ErrExists) {
			t.Errorf("the same cause again: got %v, want ErrExists", err)
		}
		err := db.Snapshot(t.Context(), func(tx *store.Tx) error {
			purses, err := tx.Purses("0xann")
			if got := purses[atelier.TokenSpark].Available(); got != 50*atelier.MoneyUnit {
				t.Errorf("got %s, want 50", got)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}
