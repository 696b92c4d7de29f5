package store

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// Manifest reads the manifest of a session of an account. ErrNotFound means
// that there is no such session.
func (tx *Tx) Manifest(owner atelier.Wallet, session string) ([]byte, error) {
	var text string
	err := tx.Row(`SELECT manifest FROM session WHERE wallet = $1 AND id = $2`, string(owner), session).Scan(&text)
	return []byte(text), err
}

// LockManifest reads the manifest of a session of an account and locks it until the
// transaction ends. A session that does not exist begins with the given manifest.
func (tx *Tx) LockManifest(owner atelier.Wallet, session string, fresh []byte, at time.Time) ([]byte, error) {
	if _, err := tx.Exec(`INSERT INTO session (wallet, id, manifest, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
		ON CONFLICT (wallet, id) DO NOTHING`, string(owner), session, string(fresh), database.Millis(at)); err != nil {
		return nil, err
	}
	var text string
	err := tx.Row(`SELECT manifest FROM session WHERE wallet = $1 AND id = $2`+tx.Dialect.ForUpdate, string(owner), session).Scan(&text)
	return []byte(text), err
}

// SetManifest writes the manifest of a session of an account that is locked.
func (tx *Tx) SetManifest(owner atelier.Wallet, session string, manifest []byte, at time.Time) error {
	err := tx.Must(`UPDATE session SET manifest = $3, updated_at = $4 WHERE wallet = $1 AND id = $2`,
		string(owner), session, string(manifest), database.Millis(at))
	if err != nil {
		return err
	}
	if err := tx.uncountStored(sessionID(owner, session)); err != nil {
		return err
	}
	tx.starts = true
	tx.countStored(owner, sessionID(owner, session), 0, sessionBytes+int64(len(manifest)), database.Millis(at))
	return nil
}

// ForgetSessions removes sessions that were not changed since a time, at most limit,
// and returns how many it removed.
func (tx *Tx) ForgetSessions(before time.Time, limit int) (n int64, err error) {
	var gone []string
	err = tx.Rows(func(scan func(...any) error) error {
		var owner atelier.Wallet
		var id string
		err := scan(&owner, &id)
		gone = append(gone, sessionID(owner, id))
		return err
	}, `DELETE FROM session WHERE (wallet, id) IN
		(SELECT wallet, id FROM session WHERE updated_at < $1 ORDER BY updated_at, wallet, id LIMIT $2) RETURNING wallet, id`, database.Millis(before), limit)
	for _, id := range gone {
		if err == nil {
			err = tx.uncountStored(id)
		}
	}
	return int64(len(gone)), err
}

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
	_, err := tx.Exec(`INSERT INTO console_session (token_hash, cookie_hash, key_hash, epoch, created_at, used_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		s.TokenHash, s.CookieHash, s.KeyHash, s.Epoch, database.Millis(s.CreatedAt), database.Millis(s.UsedAt))
	return err
}

// ConsoleSession finds a session that was used since a time.
func (tx *Tx) ConsoleSession(tokenHash string, since time.Time) (s ConsoleSession, err error) {
	var created, used int64
	err = tx.Row(`SELECT token_hash, cookie_hash, key_hash, epoch, created_at, used_at FROM console_session WHERE token_hash = $1 AND used_at > $2`,
		tokenHash, database.Millis(since)).Scan(&s.TokenHash, &s.CookieHash, &s.KeyHash, &s.Epoch, &created, &used)
	s.CreatedAt, s.UsedAt = database.FromMillis(created), database.FromMillis(used)
	return s, err
}

// ConsoleSessionUsed records the use of a session. An earlier one does not undo a
// later one that another node has recorded.
func (tx *Tx) ConsoleSessionUsed(tokenHash string, at time.Time) error {
	_, err := tx.Exec(`UPDATE console_session SET used_at = $2 WHERE token_hash = $1 AND used_at < $2`, tokenHash, database.Millis(at))
	return err
}

// DeleteConsoleSession ends a session. It ignores one that has ended.
func (tx *Tx) DeleteConsoleSession(tokenHash string) error {
	_, err := tx.Exec(`DELETE FROM console_session WHERE token_hash = $1`, tokenHash)
	tx.noteCredentialChange()
	return err
}

// openSessions are the sessions of an account that act with a key, or with any valid key when it is empty, that were
// used since a time and began in the current epoch.
const openSessions = ` FROM console_session WHERE key_hash IN (SELECT k.hash FROM api_key k WHERE k.wallet = $1 AND k.revoked_at = 0 AND (k.hash = $2 OR $2 = ''))
		AND used_at > $3 AND epoch = (SELECT a.token_epoch FROM account a WHERE a.wallet = $1)`

// CountConsoleSessions counts the sessions of an account that were used since a time.
func (tx *Tx) CountConsoleSessions(w atelier.Wallet, since time.Time) (n int, err error) {
	err = tx.Row(`SELECT COUNT(*)`+openSessions, string(w), "", database.Millis(since)).Scan(&n)
	return n, err
}

// EndConsoleSessions ends the sessions of an account that act with a key, or with any
// valid key when it is empty. It returns how many there were: those that were used since a
// time, and began in the current epoch. The caller ends their key or the epoch too, which is a change of credentials.
func (tx *Tx) EndConsoleSessions(w atelier.Wallet, keyHash string, since time.Time) (int64, error) {
	return tx.Exec(`DELETE`+openSessions, string(w), keyHash, database.Millis(since))
}

// TrimConsoleSessions ends the sessions of a key beyond a number: those that were
// not used for longest.
func (tx *Tx) TrimConsoleSessions(keyHash string, keep int) error {
	_, err := tx.Exec(`DELETE FROM console_session WHERE token_hash IN (
		SELECT token_hash FROM console_session WHERE key_hash = $1 ORDER BY used_at DESC, created_at DESC, token_hash LIMIT 1000 OFFSET $2)`, keyHash, keep)
	return err
}

// DeleteUnusedConsoleSessions removes sessions that were not used since a time, at
// most limit. It returns how many.
func (tx *Tx) DeleteUnusedConsoleSessions(since time.Time, limit int) (int64, error) {
	return tx.Exec(`DELETE FROM console_session WHERE token_hash IN (
		SELECT token_hash FROM console_session WHERE used_at <= $1 ORDER BY used_at LIMIT $2)`, database.Millis(since), limit)
}
