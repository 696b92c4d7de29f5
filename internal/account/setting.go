package account

import (
	"context"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// Setting reads what an account has set under a name; empty when it has set nothing.
func (e *Engine) Setting(ctx context.Context, w atelier.Wallet, name string) (value string, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) (err error) {
		value, err = tx.AccountSetting(w, name)
		return err
	})
	return value, err
}

// Set stores what an account sets under a name.
func (e *Engine) Set(ctx context.Context, w atelier.Wallet, name, value string) error {
	return e.db.Write(ctx, func(tx *store.Tx) error { return tx.SetAccountSetting(w, name, value) })
}
