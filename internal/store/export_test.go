package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// OpenAt opens a database whose tables are those of an earlier version. It
// empties it first.
func OpenAt(ctx context.Context, o Options, version int) (*DB, error) {
	if err := os.Remove(o.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	d, err := database.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	if o.URL != "" {
		err = d.Write(ctx, func(tx *database.Tx) error {
			_, drop := tx.Exec("DROP SCHEMA public CASCADE")
			_, create := tx.Exec("CREATE SCHEMA public")
			return errors.Join(drop, create)
		})
	}
	steps, read := migrations()
	if err = errors.Join(err, read); err == nil {
		err = d.Migrate(ctx, steps[:version])
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return &DB{database: d}, nil
}

// Columns lists the columns of all tables, with their types.
func Columns(ctx context.Context, db *DB) (list []string, err error) {
	sql := `SELECT m.name || '.' || c.name || ' ' || c.type FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY 1`
	err = db.Read(ctx, func(tx *Tx) (err error) {
		if tx.Dialect.ForUpdate != "" {
			sql = `SELECT table_name || '.' || column_name || ' ' || data_type FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1`
		}
		list, err = tx.texts(sql)
		return err
	})
	return list, err
}

// Exec runs a statement.
func Exec(tx *Tx, sql string) error {
	_, err := tx.Exec(sql)
	return err
}

// ConnectedOf reads the connected milliseconds of an account over its lifetime.
func (tx *Tx) ConnectedOf(wallet string) (n int64, err error) {
	err = tx.Row(`SELECT connected_ms FROM worker_count WHERE wallet = $1 AND day = ''`, wallet).Scan(&n)
	return n, err
}

// JobDocuments reads the JSON columns of a job as they are stored: spec, charge
// and error.
func (tx *Tx) JobDocuments(id string) (out [3]string, err error) {
	err = tx.Row(`SELECT spec, charge, error FROM job WHERE id = $1`, id).Scan(&out[0], &out[1], &out[2])
	return out, err
}

// MoveJob is moveJob for any row.
func MoveJob(from, to atelier.JobState) (string, error) {
	return moveJob(from, to, "progress = 0", "TRUE")
}

// LibraryPlan is how SQLite reads the items that a filter selects, line by line.
func (tx *Tx) LibraryPlan(f LibraryFilter) (lines []string, err error) {
	sql, args := f.selection(tx, &LibraryPosition{}, 50)
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			id, parent, unused int64
			line               string
		)
		err := scan(&id, &parent, &unused, &line)
		lines = append(lines, line)
		return err
	}, `EXPLAIN QUERY PLAN `+sql, args...)
	return lines, err
}

// TableNames lists the tables that are copied, in their order.
func TableNames(ctx context.Context, db *DB) (names []string, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		tables, err := tx.tables()
		for _, t := range tables {
			names = append(names, t.name)
		}
		return err
	})
	return names, err
}

// NextRecord inserts a copy of a record of work, and returns its number.
func NextRecord(ctx context.Context, db *DB) (number int64, err error) {
	err = db.Write(ctx, func(tx *Tx) error {
		tables, err := tx.tables()
		if err != nil {
			return err
		}
		i := slices.IndexFunc(tables, func(t rowTable) bool { return t.name == "work_record" })
		columns := strings.Join(slices.DeleteFunc(tables[i].columns, func(c string) bool { return c == "id" }), ", ")
		if _, err := tx.Exec("INSERT INTO work_record (" + columns + ") SELECT " + columns + " FROM work_record WHERE id = 1"); err != nil {
			return err
		}
		return tx.Row("SELECT MAX(id) FROM work_record").Scan(&number)
	})
	return number, err
}
