package store

import (
	"time"

	"github.com/atelier-project/atelier/internal/database"
)

// Connection is a row of the connection table. The engine of connections writes and reads the
// settings and the sealed key.
type Connection struct {
	ID        string
	Kind      string
	Name      string
	Settings  []byte
	Sealed    string
	Revision  int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Connections lists all connections, oldest first. They are few.
func (tx *Tx) Connections() (list []Connection, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			c                Connection
			settings         string
			created, updated int64
		)
		if err := scan(&c.ID, &c.Kind, &c.Name, &settings, &c.Sealed, &c.Revision, &created, &updated); err != nil {
			return err
		}
		c.Settings, c.CreatedAt, c.UpdatedAt = []byte(settings), database.FromMillis(created), database.FromMillis(updated)
		list = append(list, c)
		return nil
	}, `SELECT id, kind, name, settings, sealed, revision, created_at, updated_at FROM connection ORDER BY created_at, id`)
	return list, err
}

// InsertConnection stores a new connection. ErrExists means that its kind has one of its name.
func (tx *Tx) InsertConnection(c Connection) error {
	_, err := tx.Exec(`INSERT INTO connection (id, kind, name, settings, sealed, revision, node, held_until, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, '', 0, $7, $8)`,
		c.ID, c.Kind, c.Name, string(c.Settings), c.Sealed, c.Revision, database.Millis(c.CreatedAt), database.Millis(c.UpdatedAt))
	return err
}

// UpdateConnection stores the next revision of a connection. ErrNotFound means that it has
// changed since the row was read, or is gone.
func (tx *Tx) UpdateConnection(c Connection) error {
	return tx.Must(`UPDATE connection SET name = $3, settings = $4, sealed = $5, revision = revision + 1, updated_at = $6 WHERE id = $1 AND revision = $2`,
		c.ID, c.Revision, c.Name, string(c.Settings), c.Sealed, database.Millis(c.UpdatedAt))
}

// ResealConnection replaces a sealed key by the same one, sealed in another way, unless it has changed.
func (tx *Tx) ResealConnection(id, before, sealed string) error {
	_, err := tx.Exec(`UPDATE connection SET sealed = $3 WHERE id = $1 AND sealed = $2`, id, before, sealed)
	return err
}

// DeleteConnection removes a connection. ErrNotFound means that it does not exist.
func (tx *Tx) DeleteConnection(id string) error {
	return tx.Must(`DELETE FROM connection WHERE id = $1`, id)
}

// LockConnection keeps a connection from being removed before the transaction ends. ErrNotFound means
// that it does not exist.
func (tx *Tx) LockConnection(id string) error {
	return tx.Must(`UPDATE connection SET held_until = held_until WHERE id = $1`, id)
}

// CountConnectionChange counts a change of the connections. It comes first in the transaction of
// the change, so that changes come one after the other and each sees the one before.
func (tx *Tx) CountConnectionChange() error {
	return tx.Must(`UPDATE connection_change SET number = number + 1 WHERE only_row = 1`)
}

// ConnectionChange is the number of the last change of the connections.
func (tx *Tx) ConnectionChange() (n int64, err error) {
	err = tx.Row(`SELECT number FROM connection_change WHERE only_row = 1`).Scan(&n)
	return n, err
}

// HoldConnection lets a node use a connection alone until a time. It reports false when another
// node does.
func (tx *Tx) HoldConnection(id, node string, now, until time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE connection SET node = $2, held_until = $4 WHERE id = $1 AND (node = $2 OR held_until < $3)`,
		id, node, database.Millis(now), database.Millis(until))
	return n == 1, err
}

// ReleaseConnection ends the time in which a node uses a connection alone.
func (tx *Tx) ReleaseConnection(id, node string) error {
	_, err := tx.Exec(`UPDATE connection SET held_until = 0 WHERE id = $1 AND node = $2`, id, node)
	return err
}
