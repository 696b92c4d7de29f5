package store

import (
	"errors"

	"github.com/atelier-project/atelier"
)

// AccountSetting is what an account has set under a name; empty when it has set nothing.
func (tx *Tx) AccountSetting(w atelier.Wallet, name string) (value string, err error) {
	err = tx.Row(`SELECT value FROM account_setting WHERE wallet = $1 AND name = $2`, string(w), name).Scan(&value)
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return value, err
}

// SetAccountSetting stores what an account sets under a name.
func (tx *Tx) SetAccountSetting(w atelier.Wallet, name, value string) error {
	_, err := tx.Exec(`INSERT INTO account_setting (wallet, name, value) VALUES ($1, $2, $3)
		ON CONFLICT (wallet, name) DO UPDATE SET value = excluded.value`, string(w), name, value)
	return err
}
