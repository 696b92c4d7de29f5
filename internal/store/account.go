package store

import (
	"time"

	"github.com/atelier-project/atelier"
)

const accountColumns = `a.wallet, a.username, a.email, a.email_verified, a.worker, a.unfiltered, a.created_at`

func scanAccount(scan func(...any) error, a *atelier.Account, more ...any) error {
	var created int64
	dest := append([]any{&a.Wallet, &a.Username, &a.Email, &a.EmailVerified, &a.Worker, &a.Unfiltered, &created}, more...)
	err := scan(dest...)
	a.CreatedAt = fromMillis(created)
	return err
}

// InsertAccount adds an account. ErrExists means that the wallet or the
// username is taken, in any letter case.
func (tx *Tx) InsertAccount(a atelier.Account) error {
	_, err := tx.exec(`INSERT INTO account (wallet, username, email, email_verified, worker, unfiltered, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		string(a.Wallet), a.Username, a.Email, a.EmailVerified, a.Worker, a.Unfiltered, millis(a.CreatedAt))
	return err
}

// Account finds an account by its wallet, in any letter case.
func (tx *Tx) Account(w atelier.Wallet) (a atelier.Account, err error) {
	err = scanAccount(tx.row(`SELECT `+accountColumns+` FROM account a WHERE lower(a.wallet) = lower($1)`, string(w)).scan, &a)
	return a, err
}

// LockAccount keeps other changes that lock the same account waiting until
// this one ends. With one writer they wait anyway.
func (tx *Tx) LockAccount(w atelier.Wallet) error {
	if tx.dialect.forUpdate == "" {
		return nil
	}
	var wallet string
	return tx.row(`SELECT wallet FROM account WHERE wallet = $1`+tx.dialect.forUpdate, string(w)).scan(&wallet)
}

// AccountExists reports whether a wallet or a username is taken.
func (tx *Tx) AccountExists(w atelier.Wallet, username string) (bool, error) {
	var n int64
	err := tx.row(`SELECT COUNT(*) FROM account WHERE lower(wallet) = lower($1) OR lower(username) = lower($2)`,
		string(w), username).scan(&n)
	return n > 0, err
}

// InsertKey adds an API key by its hash.
func (tx *Tx) InsertKey(hash string, w atelier.Wallet, k atelier.APIKey) error {
	_, err := tx.exec(`INSERT INTO api_key (hash, wallet, hint, created_at, revoked_at) VALUES ($1, $2, $3, $4, 0)`,
		hash, string(w), k.Hint, millis(k.CreatedAt))
	return err
}

// KeyOwner finds the account of a key that is not revoked.
func (tx *Tx) KeyOwner(hash string) (a atelier.Account, err error) {
	// Not a join: SQLite plans a join anew whenever a bound value changes, and
	// this runs for every request.
	err = scanAccount(tx.row(`SELECT `+accountColumns+` FROM account a
		WHERE a.wallet = (SELECT k.wallet FROM api_key k WHERE k.hash = $1 AND k.revoked_at = 0)`, hash).scan, &a)
	return a, err
}

// Keys lists the keys of an account, oldest first.
func (tx *Tx) Keys(w atelier.Wallet) (keys []atelier.APIKey, err error) {
	err = tx.rows(func(scan func(...any) error) error {
		var (
			k                atelier.APIKey
			created, revoked int64
		)
		if err := scan(&k.Hint, &created, &revoked); err != nil {
			return err
		}
		k.CreatedAt, k.RevokedAt = fromMillis(created), fromMillis(revoked)
		keys = append(keys, k)
		return nil
	}, `SELECT hint, created_at, revoked_at FROM api_key WHERE wallet = $1 ORDER BY created_at, hash`, string(w))
	return keys, err
}

// RevokeKey revokes a key. ErrNotFound means that there is no such key, or it
// was revoked before.
func (tx *Tx) RevokeKey(hash string, at time.Time) error {
	return tx.must(`UPDATE api_key SET revoked_at = $2 WHERE hash = $1 AND revoked_at = 0`, hash, millis(at))
}

// Claim records a fact about the installation. It reports false when somebody
// recorded it before.
func (tx *Tx) Claim(name, value string) (bool, error) {
	n, err := tx.exec(`INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, name, value)
	return n == 1, err
}

// Claimed reports whether the fact has been recorded.
func (tx *Tx) Claimed(name string) (bool, error) {
	var n int64
	err := tx.row(`SELECT COUNT(*) FROM setting WHERE name = $1`, name).scan(&n)
	return n > 0, err
}

// AnyAccount reports whether the installation has an account at all.
func (tx *Tx) AnyAccount() (bool, error) {
	var n int64
	err := tx.row(`SELECT COUNT(*) FROM (SELECT 1 FROM account LIMIT 1) AS one`).scan(&n)
	return n > 0, err
}
