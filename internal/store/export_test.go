package store

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/atelier-project/atelier"
)

// OpenAt opens a database whose tables are those of an earlier version. It
// empties it first.
func OpenAt(ctx context.Context, o Options, version int) (*DB, error) {
	var (
		e   engine
		err error
	)
	if o.URL == "" {
		if err := os.Remove(o.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		e, err = openSQLite(o)
	} else {
		e, err = openPostgres(ctx, o.URL)
	}
	if err != nil {
		return nil, err
	}
	db := &DB{engine: e}
	steps, err := migrations()
	if err != nil {
		return nil, errors.Join(err, e.close())
	}
	return db, db.Write(ctx, func(tx *Tx) error {
		if o.URL != "" {
			for _, sql := range []string{"DROP SCHEMA public CASCADE", "CREATE SCHEMA public"} {
				if _, err := tx.exec(sql); err != nil {
					return err
				}
			}
		}
		if _, err := tx.exec(`CREATE TABLE schema_migration (version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)`); err != nil {
			return err
		}
		for _, step := range steps[:version] {
			if err := tx.apply(step); err != nil {
				return err
			}
		}
		return nil
	})
}

// Exec runs a statement as it is.
func (tx *Tx) Exec(sql string) error {
	_, err := tx.exec(sql)
	return err
}

// ConnectedOf reads the connected milliseconds of an account over its lifetime.
func (tx *Tx) ConnectedOf(wallet string) (n int64, err error) {
	err = tx.row(`SELECT connected_ms FROM worker_count WHERE wallet = $1 AND day = ''`, wallet).scan(&n)
	return n, err
}

// Synced reports whether the commits of a SQLite database are synced now. It is
// asked inside a change.
func (tx *Tx) Synced() (bool, error) {
	stmt, _, err := tx.session.(*sqliteSession).conn.PrepareTransient("PRAGMA synchronous")
	if err != nil {
		return false, err
	}
	defer stmt.Finalize()
	if _, err := stmt.Step(); err != nil {
		return false, err
	}
	return stmt.ColumnInt64(0) == 2, nil // FULL
}

// JobDocuments reads the JSON columns of a job as they are stored: spec, charge
// and error.
func (tx *Tx) JobDocuments(id string) (out [3]string, err error) {
	err = tx.row(`SELECT spec, charge, error FROM job WHERE id = $1`, id).scan(&out[0], &out[1], &out[2])
	return out, err
}

// MoveJob is moveJob for any row.
func MoveJob(from, to atelier.JobState) (string, error) {
	return moveJob(from, to, "progress = 0", "TRUE")
}

// Must is must.
func (tx *Tx) Must(sql string) error { return tx.must(sql) }
