package store

import (
	"strings"
	"time"

	"github.com/atelier-project/atelier"
)

// LedgerEntry is one booked change of a purse.
type LedgerEntry struct {
	Wallet atelier.Wallet
	Token  atelier.Token
	Kind   string // grant, spend or payout
	Amount atelier.Money
	Cause  string // what it was booked for; once per kind and token
	App    string // the application that asked for what was spent; empty if it is not known
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

// book writes one entry of the ledger.
func (tx *Tx) book(e LedgerEntry) error {
	_, err := tx.exec(`INSERT INTO ledger (wallet, token, kind, amount, cause, at, app, recorded) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		string(e.Wallet), string(e.Token), e.Kind, int64(e.Amount), e.Cause, millis(e.At), e.App, e.Kind == "spend") // RecordWork follows
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

// SpendSum is what an account has spent in one token for one application and
// one kind of cause.
type SpendSum struct {
	Wallet  atelier.Wallet
	App     string
	Kind    string // the word that its causes begin with
	Token   atelier.Token
	Charges int64
	Amount  atelier.Money
}

// SpendSums adds up what was spent since a time, by one account or, when the wallet
// is empty, by all, in no order. The kind of a cause has three or four letters and is
// followed by a slash.
func (tx *Tx) SpendSums(w atelier.Wallet, since time.Time) (out []SpendSum, err error) {
	where, args := `kind = 'spend' AND at >= $1`, []any{millis(since)}
	if w != "" {
		where, args = where+` AND wallet = $2`, append(args, string(w))
	}
	err = tx.rows(func(scan func(...any) error) error {
		var (
			s      SpendSum
			amount int64
		)
		if err := scan(&s.Wallet, &s.App, &s.Kind, &s.Token, &s.Charges, &amount); err != nil {
			return err
		}
		s.Amount, s.Kind = atelier.Money(amount), strings.TrimSuffix(s.Kind, "/")
		out = append(out, s)
		return nil
	}, `SELECT wallet, app, SUBSTR(cause, 1, 4), token, COUNT(*), CAST(SUM(amount) AS BIGINT)
		FROM ledger WHERE `+where+` GROUP BY wallet, app, SUBSTR(cause, 1, 4), token`, args...)
	return out, err
}
