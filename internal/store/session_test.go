package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

func TestSessions(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		read := func(owner, want string) {
			t.Helper()
			err := db.Read(t.Context(), func(tx *store.Tx) error {
				got, err := tx.Manifest(atelier.Wallet(owner), "s")
				if want == "" && !errors.Is(err, store.ErrNotFound) || want != "" && (err != nil || string(got) != want) {
					t.Errorf("%s reads %q, %v, want %q", owner, got, err, want)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		read("0xann", "")
		write(t, db, func(tx *store.Tx) error {
			got, err := tx.LockManifest("0xann", "s", []byte(`{"a":1}`), now)
			if err != nil || string(got) != `{"a":1}` {
				t.Errorf("a new session has %q, %v", got, err)
			}
			return nil
		})
		write(t, db, func(tx *store.Tx) error {
			got, err := tx.LockManifest("0xann", "s", []byte(`{}`), now.Add(time.Hour))
			if err != nil || string(got) != `{"a":1}` {
				t.Errorf("the session has %q, %v", got, err)
			}
			return tx.SetManifest("0xann", "s", []byte(`{"a":2}`), now.Add(time.Hour))
		})
		read("0xann", `{"a":2}`)
		read("0xbob", "")
		if err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.SetManifest("0xbob", "s", nil, now) }); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a session that no account has: got %v, want ErrNotFound", err)
		}
		forget := func(before time.Time, want int64) {
			t.Helper()
			write(t, db, func(tx *store.Tx) error {
				n, err := tx.ForgetSessions(before, 10)
				if n != want {
					t.Errorf("forgot %d, want %d", n, want)
				}
				return err
			})
		}
		forget(now.Add(time.Hour), 0) // it was changed then
		forget(now.Add(2*time.Hour), 1)
		read("0xann", "")
	})
}
