package store

import (
	"time"

	"github.com/atelier-project/atelier"
)

// Manifest reads the manifest of a session of an account. ErrNotFound means
// that there is no such session.
func (tx *Tx) Manifest(owner atelier.Wallet, session string) ([]byte, error) {
	var text string
	err := tx.row(`SELECT manifest FROM session WHERE wallet = $1 AND id = $2`, string(owner), session).scan(&text)
	return []byte(text), err
}

// LockManifest reads the manifest of a session of an account and locks it until the
// transaction ends. A session that does not exist begins with the given manifest.
func (tx *Tx) LockManifest(owner atelier.Wallet, session string, fresh []byte, at time.Time) ([]byte, error) {
	if _, err := tx.exec(`INSERT INTO session (wallet, id, manifest, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
		ON CONFLICT (wallet, id) DO NOTHING`, string(owner), session, string(fresh), millis(at)); err != nil {
		return nil, err
	}
	var text string
	err := tx.row(`SELECT manifest FROM session WHERE wallet = $1 AND id = $2`+tx.dialect.forUpdate, string(owner), session).scan(&text)
	return []byte(text), err
}

// SetManifest writes the manifest of a session of an account that is locked.
func (tx *Tx) SetManifest(owner atelier.Wallet, session string, manifest []byte, at time.Time) error {
	return tx.must(`UPDATE session SET manifest = $3, updated_at = $4 WHERE wallet = $1 AND id = $2`,
		string(owner), session, string(manifest), millis(at))
}

// ForgetSessions removes sessions that were not changed since a time, at most limit,
// and returns how many it removed.
func (tx *Tx) ForgetSessions(before time.Time, limit int) (int64, error) {
	return tx.exec(`DELETE FROM session WHERE (wallet, id) IN
		(SELECT wallet, id FROM session WHERE updated_at < $1 ORDER BY updated_at, wallet, id LIMIT $2)`, millis(before), limit)
}
