package store_test

import (
	"context"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A change of the limits of a key, and what ends credentials at the same time, lock their rows in one order: neither
// has to run again.
func TestChangesOfCredentialsDoNotDeadlock(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		if o.URL == "" {
			t.Skip("SQLite has one writer, and runs its changes again for other reasons")
		}
		const hash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
		for name, end := range map[string]func(*store.Tx) error{
			"suspend":     func(tx *store.Tx) error { _, err := tx.SuspendAccount("0xann", now); return err },
			"end tokens":  func(tx *store.Tx) error { return tx.EndTokens("0xann") },
			"revoke":      func(tx *store.Tx) error { return tx.RevokeKey(hash, now) },
			"revoke all":  func(tx *store.Tx) error { _, err := tx.RevokeKeys("0xann", now); return err },
			"end session": func(tx *store.Tx) error { return tx.DeleteConsoleSession("session") },
		} {
			t.Run(name, func(t *testing.T) {
				db := storetest.Open(t, storetest.Postgres(t))
				write := func(fn func(*store.Tx) error) {
					if err := db.Write(context.Background(), fn); err != nil {
						t.Error(err)
					}
				}
				write(func(tx *store.Tx) error {
					a := account("ann")
					if err := tx.InsertAccount(a); err != nil {
						return err
					}
					return tx.InsertKey(hash, a.Wallet, atelier.APIKey{CreatedAt: now})
				})
				var limited, ended int
				locked, done := make(chan bool), make(chan bool)
				go func() {
					defer close(done)
					<-locked
					write(func(tx *store.Tx) error { ended++; return end(tx) })
				}()
				write(func(tx *store.Tx) error {
					limited++
					if err := tx.LockAccount("0xann"); err != nil {
						return err
					}
					if err := tx.RenameKey(hash, "studio"); err != nil { // which locks the key
						return err
					}
					if limited == 1 {
						close(locked)
						storetest.AwaitLock(t, db, done)
					}
					return tx.PutKeyLimits(hash, atelier.KeyLimits{ReadOnly: true}, now)
				})
				<-done
				if limited != 1 || ended != 1 {
					t.Errorf("%d runs of the change of limits and %d of the other, want one of each", limited, ended)
				}
			})
		}
	})
}
