package store

import (
	"time"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
)

const accountColumns = `a.wallet, a.username, a.email, a.email_verified, a.worker, a.unfiltered, a.operator, a.created_at, a.suspended_at, a.token_epoch`

func scanAccount(scan func(...any) error, a *atelier.Account) error {
	var created, suspended int64
	err := scan(&a.Wallet, &a.Username, &a.Email, &a.EmailVerified, &a.Worker, &a.Unfiltered, &a.Operator, &created, &suspended, &a.TokenEpoch)
	a.CreatedAt, a.SuspendedAt = fromMillis(created), fromMillis(suspended)
	return err
}

// InsertAccount adds an account. ErrExists means that the wallet or the
// username is taken, in any letter case.
func (tx *Tx) InsertAccount(a atelier.Account) error {
	_, err := tx.exec(`INSERT INTO account (wallet, username, email, email_verified, worker, unfiltered, operator, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		string(a.Wallet), a.Username, a.Email, a.EmailVerified, a.Worker, a.Unfiltered, a.Operator, millis(a.CreatedAt))
	return err
}

// Account finds an account by its wallet, in any letter case.
func (tx *Tx) Account(w atelier.Wallet) (a atelier.Account, err error) {
	err = scanAccount(tx.row(`SELECT `+accountColumns+` FROM account a WHERE lower(a.wallet) = lower($1)`, string(w)).scan, &a)
	return a, err
}

// AccountByUsername finds an account by its username, in any letter case.
func (tx *Tx) AccountByUsername(name string) (a atelier.Account, err error) {
	err = scanAccount(tx.row(`SELECT `+accountColumns+` FROM account a WHERE lower(a.username) = lower($1)`, name).scan, &a)
	return a, err
}

// AccountsBefore lists accounts created before the given one, newest first: at most so
// many, those whose wallet or username begins with a text, in any letter case.
func (tx *Tx) AccountsBefore(prefix string, at time.Time, w atelier.Wallet, limit int) ([]atelier.Account, error) {
	var q conditions
	if w != "" {
		q.and(`(a.created_at, a.wallet) < (` + q.param(millis(at)) + `, ` + q.param(string(w)) + `)`)
	}
	if prefix != "" { // not a range: what follows in it depends on the collation
		text, length := q.param(prefix), q.param(utf8.RuneCountInString(prefix))
		q.and(`(SUBSTR(lower(a.wallet), 1, ` + length + `) = lower(` + text + `) OR SUBSTR(lower(a.username), 1, ` + length + `) = lower(` + text + `))`)
	}
	return tx.accounts(q.where()+` ORDER BY a.created_at DESC, a.wallet DESC LIMIT `+q.param(limit), q.args...)
}

// SetOperator gives an account the operator role, or takes it. It reports false when
// that changes nothing.
func (tx *Tx) SetOperator(w atelier.Wallet, operator bool) (bool, error) {
	n, err := tx.exec(`UPDATE account SET operator = $2 WHERE wallet = $1 AND operator <> $2`, string(w), operator)
	return n == 1, err
}

func (tx *Tx) accounts(where string, args ...any) (list []atelier.Account, err error) {
	err = tx.rows(func(scan func(...any) error) error {
		var a atelier.Account
		if err := scanAccount(scan, &a); err != nil {
			return err
		}
		list = append(list, a)
		return nil
	}, `SELECT `+accountColumns+` FROM account a `+where, args...)
	return list, err
}

// SuspendAccount suspends an account, ends the epoch of its session tokens and
// records that its work is to be cancelled. It reports false when the account was
// suspended before.
func (tx *Tx) SuspendAccount(w atelier.Wallet, at time.Time) (bool, error) {
	n, err := tx.exec(`UPDATE account SET suspended_at = $2, token_epoch = token_epoch + 1, cancel_pending = TRUE
		WHERE wallet = $1 AND suspended_at = 0`, string(w), millis(at))
	return n == 1, err
}

// CancelPending lists suspended accounts whose work is still to be cancelled.
func (tx *Tx) CancelPending(limit int) ([]atelier.Account, error) {
	return tx.accounts(`WHERE a.cancel_pending ORDER BY a.wallet LIMIT $1`, limit)
}

// ClearCancelPending records that the work of an account that was suspended at the
// given time is cancelled.
func (tx *Tx) ClearCancelPending(w atelier.Wallet, suspended time.Time) error {
	_, err := tx.exec(`UPDATE account SET cancel_pending = FALSE WHERE wallet = $1 AND suspended_at = $2`, string(w), millis(suspended))
	return err
}

// ReinstateAccount ends a suspension. It reports false when there is none, or
// when work is still to be cancelled.
func (tx *Tx) ReinstateAccount(w atelier.Wallet) (bool, error) {
	n, err := tx.exec(`UPDATE account SET suspended_at = 0 WHERE wallet = $1 AND suspended_at > 0 AND NOT cancel_pending`, string(w))
	return n == 1, err
}

// EndTokens ends the epoch of an account's session tokens.
func (tx *Tx) EndTokens(w atelier.Wallet) error {
	return tx.must(`UPDATE account SET token_epoch = token_epoch + 1 WHERE wallet = $1`, string(w))
}

// LockForWork is LockAccount for a change that adds work to an account. It reports
// false when the account is suspended. A suspension waits for the lock, so that it
// finds the work that the change has added.
func (tx *Tx) LockForWork(w atelier.Wallet) (bool, error) {
	var suspended int64
	err := tx.row(`SELECT suspended_at FROM account WHERE wallet = $1`+tx.dialect.forUpdate, string(w)).scan(&suspended)
	return suspended == 0, err
}

// LockAccount makes other changes that lock the same account wait until this one
// ends. SQLite has one writer: they wait there without a lock.
func (tx *Tx) LockAccount(w atelier.Wallet) error {
	if tx.dialect.forUpdate == "" {
		return nil
	}
	var wallet string
	return tx.row(`SELECT wallet FROM account WHERE wallet = $1`+tx.dialect.forUpdate, string(w)).scan(&wallet)
}

// AccountExists reports whether a wallet or a username is taken, as a wallet or as a
// username: commands accept either to name an account.
func (tx *Tx) AccountExists(w atelier.Wallet, username string) (bool, error) {
	var n int64
	err := tx.row(`SELECT COUNT(*) FROM account WHERE lower(wallet) IN (lower($1), lower($2)) OR lower(username) IN (lower($1), lower($2))`,
		string(w), username).scan(&n)
	return n > 0, err
}

// InsertKey adds an API key by its hash.
func (tx *Tx) InsertKey(hash string, w atelier.Wallet, k atelier.APIKey) error {
	_, err := tx.exec(`INSERT INTO api_key (hash, wallet, hint, name, created_at, revoked_at) VALUES ($1, $2, $3, $4, $5, 0)`,
		hash, string(w), k.Hint, k.Name, millis(k.CreatedAt))
	return err
}

// KeyOwner finds the account of a key that is not revoked.
func (tx *Tx) KeyOwner(hash string) (a atelier.Account, err error) {
	// Not a join: SQLite plans a join again whenever a bound value changes, and
	// this runs for every request.
	err = scanAccount(tx.row(`SELECT `+accountColumns+` FROM account a
		WHERE a.wallet = (SELECT k.wallet FROM api_key k WHERE k.hash = $1 AND k.revoked_at = 0)`, hash).scan, &a)
	return a, err
}

// StoredKey is a key by its hash.
type StoredKey struct {
	Hash   string
	Wallet atelier.Wallet
	atelier.APIKey
}

// Keys lists the keys of an account, oldest first.
func (tx *Tx) Keys(w atelier.Wallet) ([]StoredKey, error) {
	return tx.keys(`WHERE wallet = $1 ORDER BY created_at, hash`, string(w))
}

// OwnKey finds a valid key of an account by its id.
func (tx *Tx) OwnKey(w atelier.Wallet, id string) (StoredKey, error) {
	found, err := tx.keys(`WHERE wallet = $1 AND SUBSTR(hash, 1, 32) = $2 AND revoked_at = 0`, string(w), id)
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return StoredKey{}, err
	}
	return found[0], nil
}

// KeysAfter lists the keys of an account after the given one, oldest first.
func (tx *Tx) KeysAfter(w atelier.Wallet, at time.Time, hash string, limit int) ([]StoredKey, error) {
	return tx.keys(`WHERE wallet = $1 AND (created_at, hash) > ($2, $3) ORDER BY created_at, hash LIMIT $4`, string(w), millis(at), hash, limit)
}

// KeysWithHint lists the keys of all accounts whose first characters these are.
func (tx *Tx) KeysWithHint(hint string, limit int) ([]StoredKey, error) {
	return tx.keys(`WHERE hint = $1 ORDER BY created_at, hash LIMIT $2`, hint, limit)
}

func (tx *Tx) keys(where string, args ...any) (keys []StoredKey, err error) {
	err = tx.rows(func(scan func(...any) error) error {
		var (
			k                      StoredKey
			created, used, revoked int64
		)
		if err := scan(&k.Hash, &k.Wallet, &k.Hint, &k.Name, &created, &used, &k.LastUsedBy, &revoked); err != nil {
			return err
		}
		k.ID = atelier.KeyID(k.Hash)
		k.CreatedAt, k.LastUsedAt, k.RevokedAt = fromMillis(created), fromMillis(used), fromMillis(revoked)
		keys = append(keys, k)
		return nil
	}, `SELECT hash, wallet, hint, name, created_at, last_used_at, last_used_by, revoked_at FROM api_key `+where, args...)
	return keys, err
}

// KeyUsed records the use of a key by an application; an empty name keeps the
// earlier one. An earlier use does not undo a later one that another node has
// recorded.
func (tx *Tx) KeyUsed(hash, app string, at time.Time) error {
	_, err := tx.exec(`UPDATE api_key SET last_used_at = $2, last_used_by = CASE WHEN $3 = '' THEN last_used_by ELSE $3 END
		WHERE hash = $1 AND last_used_at < $2`, hash, millis(at), app)
	return err
}

// RenameKey changes the name of a key that is not revoked.
func (tx *Tx) RenameKey(hash, name string) error {
	return tx.must(`UPDATE api_key SET name = $2 WHERE hash = $1 AND revoked_at = 0`, hash, name)
}

// CountKeys counts the keys of an account that are valid or were created since a
// time.
func (tx *Tx) CountKeys(w atelier.Wallet, since time.Time) (n int64, err error) {
	err = tx.row(`SELECT COUNT(*) FROM api_key WHERE wallet = $1 AND (revoked_at = 0 OR created_at > $2)`, string(w), millis(since)).scan(&n)
	return n, err
}

// RevokeKeys revokes all the keys of an account and says how many it revoked.
func (tx *Tx) RevokeKeys(w atelier.Wallet, at time.Time) (int64, error) {
	return tx.exec(`UPDATE api_key SET revoked_at = $2 WHERE wallet = $1 AND revoked_at = 0`, string(w), millis(at))
}

// RevokeKey revokes a key. ErrNotFound means that there is no such key, or it
// was revoked before.
func (tx *Tx) RevokeKey(hash string, at time.Time) error {
	return tx.must(`UPDATE api_key SET revoked_at = $2 WHERE hash = $1 AND revoked_at = 0`, hash, millis(at))
}

// Claim records a fact about the installation. It reports false when it was
// recorded before.
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
