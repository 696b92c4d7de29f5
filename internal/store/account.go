package store

import (
	"slices"
	"time"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

const accountColumns = `a.wallet, a.username, a.email, a.email_verified, a.worker, a.unfiltered, a.operator, a.created_at, a.suspended_at, a.token_epoch`

func scanAccount(scan func(...any) error, a *atelier.Account) error {
	var created, suspended int64
	err := scan(&a.Wallet, &a.Username, &a.Email, &a.EmailVerified, &a.Worker, &a.Unfiltered, &a.Operator, &created, &suspended, &a.TokenEpoch)
	a.CreatedAt, a.SuspendedAt = database.FromMillis(created), database.FromMillis(suspended)
	return err
}

// InsertAccount adds an account. ErrExists means that the wallet or the
// username is taken, in any letter case.
func (tx *Tx) InsertAccount(a atelier.Account) error {
	_, err := tx.Exec(`INSERT INTO account (wallet, username, email, email_verified, worker, unfiltered, operator, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		string(a.Wallet), a.Username, a.Email, a.EmailVerified, a.Worker, a.Unfiltered, a.Operator, database.Millis(a.CreatedAt))
	return err
}

// Account finds an account by its wallet, in any letter case.
func (tx *Tx) Account(w atelier.Wallet) (a atelier.Account, err error) {
	err = scanAccount(tx.Row(`SELECT `+accountColumns+` FROM account a WHERE lower(a.wallet) = lower($1)`, string(w)).Scan, &a)
	return a, err
}

// AccountByUsername finds an account by its username, in any letter case.
func (tx *Tx) AccountByUsername(name string) (a atelier.Account, err error) {
	err = scanAccount(tx.Row(`SELECT `+accountColumns+` FROM account a WHERE lower(a.username) = lower($1)`, name).Scan, &a)
	return a, err
}

// AccountsBefore lists accounts created before the given one, newest first, at most limit.
func (tx *Tx) AccountsBefore(at time.Time, w atelier.Wallet, limit int) ([]atelier.Account, error) {
	q := accountsBefore(at, w)
	return tx.accounts(q.where()+` ORDER BY a.created_at DESC, a.wallet DESC LIMIT `+q.param(limit), q.args...)
}

func accountsBefore(at time.Time, w atelier.Wallet) (q conditions) {
	if w != "" {
		q.and(`(a.created_at, a.wallet) < (` + q.param(database.Millis(at)) + `, ` + q.param(string(w)) + `)`)
	}
	return q
}

// NamedAccounts lists the accounts that have a name, in any letter case: one has it as its
// wallet, one as its username.
func (tx *Tx) NamedAccounts(name string) ([]atelier.Account, error) {
	return tx.accounts(`WHERE lower(a.wallet) = lower($1) OR lower(a.username) = lower($1) ORDER BY a.created_at DESC, a.wallet DESC`, name)
}

// FindAccounts lists accounts as AccountsBefore does, those among the next scan whose
// wallet or username begins with a text, in any letter case, and is not all of it: these
// are NamedAccounts. Last is the last account that was looked at, where others follow.
func (tx *Tx) FindAccounts(prefix string, at time.Time, w atelier.Wallet, limit, scan int) (found []atelier.Account, last *atelier.Account, err error) {
	q := accountsBefore(at, w)
	end, err := tx.accounts(q.where()+` ORDER BY a.created_at DESC, a.wallet DESC LIMIT 1 OFFSET `+q.param(scan-1), q.args...)
	if err != nil {
		return nil, nil, err
	}
	q = accountsBefore(at, w)
	if len(end) > 0 {
		last = &end[0]
		q.and(`(a.created_at, a.wallet) >= (` + q.param(database.Millis(last.CreatedAt)) + `, ` + q.param(string(last.Wallet)) + `)`)
	}
	// Not a range of the index: what follows in it depends on the collation.
	text, length := q.param(prefix), q.param(utf8.RuneCountInString(prefix))
	q.and(`(SUBSTR(lower(a.wallet), 1, ` + length + `) = lower(` + text + `) OR SUBSTR(lower(a.username), 1, ` + length + `) = lower(` + text + `))`)
	q.and(`lower(a.wallet) <> lower(` + text + `) AND lower(a.username) <> lower(` + text + `)`)
	found, err = tx.accounts(q.where()+` ORDER BY a.created_at DESC, a.wallet DESC LIMIT `+q.param(limit), q.args...)
	return found, last, err
}

// SetOperator gives an account the operator role, or takes it. It reports false when
// that changes nothing.
func (tx *Tx) SetOperator(w atelier.Wallet, operator bool) (bool, error) {
	n, err := tx.Exec(`UPDATE account SET operator = $2 WHERE wallet = $1 AND operator <> $2`, string(w), operator)
	return n == 1, err
}

// LockOperators lists the operators that are not suspended. Other changes that lock them wait
// until this one ends.
func (tx *Tx) LockOperators() (list []atelier.Wallet, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var w atelier.Wallet
		if err := scan(&w); err != nil {
			return err
		}
		list = append(list, w)
		return nil
	}, `SELECT a.wallet FROM account a WHERE a.operator AND a.suspended_at = 0 ORDER BY a.wallet`+tx.Dialect.ForUpdate)
	return list, err
}

func (tx *Tx) accounts(where string, args ...any) (list []atelier.Account, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
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
	n, err := tx.Exec(`UPDATE account SET suspended_at = $2, token_epoch = token_epoch + 1, cancel_pending = TRUE
		WHERE wallet = $1 AND suspended_at = 0`, string(w), database.Millis(at))
	tx.noteCredentialChange()
	return n == 1, err
}

// CancelPending lists suspended accounts whose work is still to be cancelled.
func (tx *Tx) CancelPending(limit int) ([]atelier.Account, error) {
	return tx.accounts(`WHERE a.cancel_pending ORDER BY a.wallet LIMIT $1`, limit)
}

// ClearCancelPending records that the work of an account that was suspended at the
// given time is cancelled.
func (tx *Tx) ClearCancelPending(w atelier.Wallet, suspended time.Time) error {
	_, err := tx.Exec(`UPDATE account SET cancel_pending = FALSE WHERE wallet = $1 AND suspended_at = $2`, string(w), database.Millis(suspended))
	return err
}

// ReinstateAccount ends a suspension. It reports false when the account is not suspended, or
// when work is still to be cancelled.
func (tx *Tx) ReinstateAccount(w atelier.Wallet) (bool, error) {
	n, err := tx.Exec(`UPDATE account SET suspended_at = 0 WHERE wallet = $1 AND suspended_at > 0 AND NOT cancel_pending`, string(w))
	return n == 1, err
}

// EndTokens ends the epoch of an account's session tokens.
func (tx *Tx) EndTokens(w atelier.Wallet) error {
	err := tx.Must(`UPDATE account SET token_epoch = token_epoch + 1 WHERE wallet = $1`, string(w))
	tx.noteCredentialChange()
	return err
}

// LockForWork is LockAccount for a change that adds work to an account. It reports
// false when the account is suspended. A suspension waits for the lock, so that it
// finds the work that the change has added.
func (tx *Tx) LockForWork(w atelier.Wallet) (bool, error) {
	var suspended int64
	err := tx.Row(`SELECT suspended_at FROM account WHERE wallet = $1`+tx.Dialect.ForUpdate, string(w)).Scan(&suspended)
	return suspended == 0, err
}

// LockAccount makes other changes that lock the same account wait until this one
// ends. SQLite has one writer: they wait there without a lock.
func (tx *Tx) LockAccount(w atelier.Wallet) error {
	if tx.Dialect.ForUpdate == "" {
		return nil
	}
	tx.Row(`SELECT wallet FROM account WHERE wallet = $1`+tx.Dialect.ForUpdate, string(w)).ScanLater(new(string)) // whatever follows waits for it
	return nil
}

// NamesAccount reports whether an account has a name, as its wallet or as its username: commands accept either.
func (tx *Tx) NamesAccount(name string) (bool, error) {
	var n int64
	err := tx.Row(`SELECT COUNT(*) FROM account WHERE lower(wallet) = lower($1) OR lower(username) = lower($1)`, name).Scan(&n)
	return n > 0, err
}

// InsertKey adds an API key by its hash.
func (tx *Tx) InsertKey(hash string, w atelier.Wallet, k atelier.APIKey) error {
	limits, err := encodeLimits(k.Limits)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO api_key (hash, wallet, hint, name, created_at, revoked_at, limits, person) VALUES ($1, $2, $3, $4, $5, 0, $6, $7)`,
		hash, string(w), k.Hint, k.Name, database.Millis(k.CreatedAt), limits, string(k.Limits.Member.Person))
	if err != nil {
		return err
	}
	if k.Limits.Budget == (atelier.KeyBudget{}) {
		return nil
	}
	return tx.insertKeyBudget(hash, k.Limits.Budget, nil, k.CreatedAt)
}

// KeyOwner finds the account of a key that is not revoked, and what the key is limited to: nil for nothing.
func (tx *Tx) KeyOwner(hash string) (a atelier.Account, limits *atelier.KeyLimits, err error) {
	// Not a join: SQLite plans a join again whenever a bound value changes, and
	// this runs for every request.
	return scanLimited(tx.Row(`SELECT `+accountColumns+`, (SELECT l.limits FROM api_key l WHERE l.hash = $1) FROM account a
		WHERE a.wallet = (SELECT k.wallet FROM api_key k WHERE k.hash = $1 AND k.revoked_at = 0)`, hash).Scan)
}

// scanLimited reads an account and the limits of a key.
func scanLimited(scan func(...any) error) (a atelier.Account, limits *atelier.KeyLimits, err error) {
	var text string
	err = scanAccount(func(dest ...any) error { return scan(append(dest, &text)...) }, &a)
	if err == nil {
		limits, err = decodeLimits(text)
	}
	return a, limits, err
}

// AccountByKey finds an account by its wallet, if a key is not revoked: the key that made a
// session token of the account. It is one of the account's own, or of an operator that is not
// suspended.
func (tx *Tx) AccountByKey(w atelier.Wallet, keyHash string) (a atelier.Account, limits *atelier.KeyLimits, err error) {
	return scanLimited(tx.Row(`SELECT `+accountColumns+`, (SELECT l.limits FROM api_key l WHERE l.hash = $2) FROM account a WHERE a.wallet = $1
		AND EXISTS (SELECT 1 FROM account o WHERE o.wallet = (SELECT k.wallet FROM api_key k WHERE k.hash = $2 AND k.revoked_at = 0)
			AND (o.wallet = a.wallet OR o.operator AND o.suspended_at = 0))`, string(w), keyHash).Scan)
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
	return tx.keys(`WHERE wallet = $1 AND (created_at, hash) > ($2, $3) AND hash NOT IN (SELECT m.key_hash FROM member m) ORDER BY created_at, hash LIMIT $4`, string(w), database.Millis(at), hash, limit)
}

// KeysWithHint lists the keys of all accounts whose first characters these are.
func (tx *Tx) KeysWithHint(hint string, limit int) ([]StoredKey, error) {
	return tx.keys(`WHERE hint = $1 AND hash NOT IN (SELECT m.key_hash FROM member m) ORDER BY created_at, hash LIMIT $2`, hint, limit)
}

func (tx *Tx) keys(where string, args ...any) (keys []StoredKey, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			k                      StoredKey
			created, used, revoked int64
			text                   string
		)
		if err := scan(&k.Hash, &k.Wallet, &k.Hint, &k.Name, &created, &used, &k.LastUsedBy, &revoked, &text); err != nil {
			return err
		}
		limits, err := decodeLimits(text)
		if err != nil {
			return err
		}
		if limits != nil {
			k.Limits = *limits
		}
		k.ID = atelier.KeyID(k.Hash)
		k.CreatedAt, k.LastUsedAt, k.RevokedAt = database.FromMillis(created), database.FromMillis(used), database.FromMillis(revoked)
		keys = append(keys, k)
		return nil
	}, `SELECT hash, wallet, hint, name, created_at, last_used_at, last_used_by, revoked_at, limits FROM api_key `+where, args...)
	return keys, err
}

// KeyUsed records the use of a key by an application; an empty name keeps the
// earlier one. An earlier use does not undo a later one that another node has
// recorded.
func (tx *Tx) KeyUsed(hash, app string, at time.Time) error {
	_, err := tx.Exec(`UPDATE api_key SET last_used_at = $2, last_used_by = CASE WHEN $3 = '' THEN last_used_by ELSE $3 END
		WHERE hash = $1 AND last_used_at < $2`, hash, database.Millis(at), app)
	return err
}

// RenameKey changes the name of a key that is not revoked.
func (tx *Tx) RenameKey(hash, name string) error {
	return tx.Must(`UPDATE api_key SET name = $2 WHERE hash = $1 AND revoked_at = 0`, hash, name)
}

// CountKeys counts the keys of an account and of one of its members, or of none, that are valid or were created since a
// time.
func (tx *Tx) CountKeys(w atelier.Wallet, person atelier.PersonID, since time.Time) (n int64, err error) {
	err = tx.Row(`SELECT COUNT(*) FROM api_key WHERE wallet = $1 AND person = $3 AND (revoked_at = 0 OR created_at > $2)`,
		string(w), database.Millis(since), string(person)).Scan(&n)
	return n, err
}

// RevokeKeys revokes all the keys of an account and says how many it revoked. Those of memberships, which are
// never shown, stay: their members sign in again.
func (tx *Tx) RevokeKeys(w atelier.Wallet, at time.Time) (int64, error) {
	n, err := tx.Exec(`UPDATE api_key SET revoked_at = $2 WHERE wallet = $1 AND revoked_at = 0
		AND hash NOT IN (SELECT m.key_hash FROM member m WHERE m.wallet = $1)`, string(w), database.Millis(at))
	tx.noteCredentialChange()
	return n, err
}

// RevokeKey revokes a key. ErrNotFound means that there is no such key, or it
// was revoked before.
func (tx *Tx) RevokeKey(hash string, at time.Time) error {
	err := tx.Must(`UPDATE api_key SET revoked_at = $2 WHERE hash = $1 AND revoked_at = 0`, hash, database.Millis(at))
	tx.noteCredentialChange()
	return err
}

// Claim records a fact about the installation. It reports false when it was
// recorded before.
func (tx *Tx) Claim(name, value string) (bool, error) {
	n, err := tx.Exec(`INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, name, value)
	return n == 1, err
}

// Claimed reports whether the fact has been recorded.
func (tx *Tx) Claimed(name string) (bool, error) {
	var n int64
	err := tx.Row(`SELECT COUNT(*) FROM setting WHERE name = $1`, name).Scan(&n)
	return n > 0, err
}

// AnyAccount reports whether the installation has an account at all.
func (tx *Tx) AnyAccount() (bool, error) {
	var n int64
	err := tx.Row(`SELECT COUNT(*) FROM (SELECT 1 FROM account LIMIT 1) AS one`).Scan(&n)
	return n > 0, err
}

// OldestAccount finds the account that was created first, except for one. It passes
// over suspended accounts.
func (tx *Tx) OldestAccount(except atelier.Wallet) (a atelier.Account, err error) {
	err = scanAccount(tx.Row(`SELECT `+accountColumns+` FROM account a WHERE a.suspended_at = 0 AND a.wallet <> $1 ORDER BY a.created_at, a.wallet LIMIT 1`,
		string(except)).Scan, &a)
	return a, err
}

// Usernames reads the names of accounts.
func (tx *Tx) Usernames(wallets []atelier.Wallet) (map[atelier.Wallet]string, error) {
	out := map[atelier.Wallet]string{}
	for part := range slices.Chunk(wallets, 256) {
		list := padded(texts(part))
		err := tx.Rows(func(scan func(...any) error) error {
			var (
				w    atelier.Wallet
				name string
			)
			err := scan(&w, &name)
			out[w] = name
			return err
		}, `SELECT wallet, username FROM account WHERE wallet IN (`+database.Marks(1, len(list))+`)`, list...)
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// PutSubscription stores the subscription of an account, valid from a time on. What was
// valid before is kept in subscription_change.
func (tx *Tx) PutSubscription(w atelier.Wallet, s atelier.Subscription, at time.Time) error {
	for _, table := range []struct{ name, more, key string }{{"subscription", "", "wallet"}, {"subscription_change", ", at", "wallet, at"}} {
		args := []any{
			string(w), string(s.Tier), s.Term, s.Provider, string(s.Status),
			database.Millis(s.Since), database.Millis(s.PeriodStart), database.Millis(s.PeriodEnd), s.Renews, s.Canceled,
		}
		if table.more != "" {
			args = append(args, database.Millis(at))
		}
		if _, err := tx.Exec(`INSERT INTO `+table.name+`
			(wallet, tier, term, provider, status, since, period_start, period_end, renews, canceled`+table.more+`) VALUES (`+database.Marks(1, len(args))+`)
			ON CONFLICT (`+table.key+`) DO UPDATE SET tier = $2, term = $3, provider = $4, status = $5, since = $6,
			period_start = $7, period_end = $8, renews = $9, canceled = $10`, args...); err != nil {
			return err
		}
	}
	return nil
}

// Subscription returns the subscription that was stored last for an account; zero
// when none was stored.
func (tx *Tx) Subscription(w atelier.Wallet) (s atelier.Subscription, err error) {
	found, err := tx.SubscriptionsOf([]atelier.Wallet{w})
	return subscriptionIn(found, w), err
}

func subscriptionIn(found map[atelier.Wallet]atelier.Subscription, w atelier.Wallet) atelier.Subscription {
	if s, ok := found[w]; ok {
		return s
	}
	return atelier.Subscription{Status: atelier.SubscriptionNone}
}

// Means is what an account and one of its keys can pay with.
type Means struct {
	Plan   atelier.Subscription // as Subscription reads it
	Purses map[atelier.Token]atelier.Purse
	Budget *KeyBudget // of the key; nil without one
}

// Means reads the means of an account, and of a key unless its id is empty.
func (tx *Tx) Means(w atelier.Wallet, key string) (m Means, err error) {
	found := map[atelier.Wallet]atelier.Subscription{}
	tx.readSubscriptions(found, []atelier.Wallet{w})
	var budget KeyBudget
	if key != "" {
		tx.keyBudgetLater(&budget, key, w)
	}
	m.Purses, err = tx.Purses(w)
	m.Plan = subscriptionIn(found, w)
	if budget.KeyID != "" {
		m.Budget = &budget
	}
	return m, err
}

// SubscriptionsOf returns the subscriptions that were stored last for several accounts,
// by wallet. An account that never had one has no entry.
func (tx *Tx) SubscriptionsOf(wallets []atelier.Wallet) (map[atelier.Wallet]atelier.Subscription, error) {
	out := map[atelier.Wallet]atelier.Subscription{}
	tx.readSubscriptions(out, wallets)
	return out, tx.Flush()
}

// readSubscriptions fills in the subscriptions of accounts, later.
func (tx *Tx) readSubscriptions(out map[atelier.Wallet]atelier.Subscription, wallets []atelier.Wallet) {
	tx.RowsLater(func(scan func(...any) error) error {
		var (
			w                 atelier.Wallet
			s                 atelier.Subscription
			since, start, end int64
		)
		err := scan(&w, &s.Tier, &s.Term, &s.Provider, &s.Status, &since, &start, &end, &s.Renews, &s.Canceled)
		s.Since, s.PeriodStart, s.PeriodEnd = database.FromMillis(since), database.FromMillis(start), database.FromMillis(end)
		out[w] = s
		return err
	}, `SELECT wallet, tier, term, provider, status, since, period_start, period_end, renews, canceled
		FROM subscription WHERE wallet IN (`+database.Marks(1, len(wallets))+`)`, database.Texts(wallets)...)
}
