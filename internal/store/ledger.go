package store

import (
	"time"

	"github.com/atelier-project/atelier"
)

// LedgerEntry is one booked change of a purse.
type LedgerEntry struct {
	Wallet atelier.Wallet
	Token  atelier.Token
	Kind   string // grant or spend
	Amount atelier.Money
	Cause  string // what it was booked for; once per kind and token
	At     time.Time
}

// Grant books an amount into an account's purse. ErrExists means that the same
// cause was booked before; then nothing changes.
func (tx *Tx) Grant(e LedgerEntry) error {
	if err := tx.book(e); err != nil {
		return err
	}
	_, err := tx.exec(`INSERT INTO purse (wallet, token, granted, spent, held) VALUES ($1, $2, $3, 0, 0)
		ON CONFLICT (wallet, token) DO UPDATE SET granted = purse.granted + $3`,
		string(e.Wallet), string(e.Token), int64(e.Amount))
	return err
}

// book writes one line of the ledger.
func (tx *Tx) book(e LedgerEntry) error {
	_, err := tx.exec(`INSERT INTO ledger (wallet, token, kind, amount, cause, at) VALUES ($1, $2, $3, $4, $5, $6)`,
		string(e.Wallet), string(e.Token), e.Kind, int64(e.Amount), e.Cause, millis(e.At))
	return err
}

// Purses returns the purses of an account by token.
func (tx *Tx) Purses(w atelier.Wallet) (map[atelier.Token]atelier.Purse, error) {
	purses := map[atelier.Token]atelier.Purse{}
	err := tx.rows(func(scan func(...any) error) error {
		var (
			token                string
			granted, spent, held int64
		)
		if err := scan(&token, &granted, &spent, &held); err != nil {
			return err
		}
		purses[atelier.Token(token)] = atelier.Purse{Granted: atelier.Money(granted), Spent: atelier.Money(spent), Held: atelier.Money(held)}
		return nil
	}, `SELECT token, granted, spent, held FROM purse WHERE wallet = $1`, string(w))
	return purses, err
}
