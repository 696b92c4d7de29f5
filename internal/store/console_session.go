package store

import (
	"time"

	"github.com/atelier-project/atelier"
)

// ConsoleSession is a session of the console by the hashes of its halves.
type ConsoleSession struct {
	TokenHash  string
	CookieHash string
	KeyHash    string // of the API key that it acts with
	Epoch      int64  // of the account when the session began
	CreatedAt  time.Time
	UsedAt     time.Time
}

// InsertConsoleSession adds a session.
func (tx *Tx) InsertConsoleSession(s ConsoleSession) error {
	_, err := tx.exec(`INSERT INTO console_session (token_hash, cookie_hash, key_hash, epoch, created_at, used_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		s.TokenHash, s.CookieHash, s.KeyHash, s.Epoch, millis(s.CreatedAt), millis(s.UsedAt))
	return err
}

// ConsoleSession finds a session that was used since a time.
func (tx *Tx) ConsoleSession(tokenHash string, since time.Time) (s ConsoleSession, err error) {
	var created, used int64
	err = tx.row(`SELECT token_hash, cookie_hash, key_hash, epoch, created_at, used_at FROM console_session WHERE token_hash = $1 AND used_at > $2`,
		tokenHash, millis(since)).scan(&s.TokenHash, &s.CookieHash, &s.KeyHash, &s.Epoch, &created, &used)
	s.CreatedAt, s.UsedAt = fromMillis(created), fromMillis(used)
	return s, err
}

// ConsoleSessionUsed records the use of a session. An earlier one does not undo a
// later one that another node has recorded.
func (tx *Tx) ConsoleSessionUsed(tokenHash string, at time.Time) error {
	_, err := tx.exec(`UPDATE console_session SET used_at = $2 WHERE token_hash = $1 AND used_at < $2`, tokenHash, millis(at))
	return err
}

// DeleteConsoleSession ends a session. It ignores one that has ended.
func (tx *Tx) DeleteConsoleSession(tokenHash string) error {
	_, err := tx.exec(`DELETE FROM console_session WHERE token_hash = $1`, tokenHash)
	return err
}

// TrimConsoleSessions ends the sessions of a key beyond a number: those that were
// not used for longest.
func (tx *Tx) TrimConsoleSessions(keyHash string, keep int) error {
	_, err := tx.exec(`DELETE FROM console_session WHERE token_hash IN (
		SELECT token_hash FROM console_session WHERE key_hash = $1 ORDER BY used_at DESC, created_at DESC, token_hash LIMIT 1000 OFFSET $2)`, keyHash, keep)
	return err
}

// DeleteUnusedConsoleSessions removes sessions that were not used since a time, at
// most limit. It returns how many.
func (tx *Tx) DeleteUnusedConsoleSessions(since time.Time, limit int) (int64, error) {
	return tx.exec(`DELETE FROM console_session WHERE token_hash IN (
		SELECT token_hash FROM console_session WHERE used_at <= $1 ORDER BY used_at LIMIT $2)`, millis(since), limit)
}

// OldestAccount finds the account that was created first, except for one. It passes
// over suspended accounts.
func (tx *Tx) OldestAccount(except atelier.Wallet) (a atelier.Account, err error) {
	err = scanAccount(tx.row(`SELECT `+accountColumns+` FROM account a WHERE a.suspended_at = 0 AND a.wallet <> $1 ORDER BY a.created_at, a.wallet LIMIT 1`,
		string(except)).scan, &a)
	return a, err
}
