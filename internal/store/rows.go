package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/database"
)

// TableSum is how many rows a table has, and a digest of them in which their order does not
// matter: SQLite and PostgreSQL give the same for the same rows.
type TableSum struct {
	Name   string `json:"name"`
	Rows   int64  `json:"rows"`
	Digest string `json:"digest"`
}

// OpenUnmigrated opens a database and leaves its tables as they are, for a program that
// copies it while a server of an earlier version uses it.
func OpenUnmigrated(ctx context.Context, o Options) (*DB, error) {
	o.Existing = true
	d, err := database.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return &DB{database: d}, nil
}

// ErrNotEmpty says that a database has rows already.
var ErrNotEmpty = errors.New("the database is not empty")

// OpenEmpty opens a database without rows, or creates it, with the tables that another one
// has. The error is ErrNotEmpty where it has rows.
func OpenEmpty(ctx context.Context, o Options, like *DB) (*DB, error) {
	steps, err := migrations()
	if err != nil {
		return nil, err
	}
	version, err := like.database.Version(ctx, steps)
	if err != nil {
		return nil, err
	}
	d, err := database.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	db := &DB{database: d}
	if err = db.database.Migrate(ctx, steps[:version]); err == nil {
		err = db.Snapshot(ctx, func(tx *Tx) error { return tx.checkEmpty(steps[:version]) })
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return db, nil
}

// Migrate brings the tables of a database up to date that was opened as it was.
func (db *DB) Migrate(ctx context.Context) error { return db.migrate(ctx) }

// CopyRows copies all rows of a database into one that OpenEmpty has opened, in one
// transaction, as they are at one moment. It returns the sums of what it has read.
func (db *DB) CopyRows(ctx context.Context, to *DB) (sums []TableSum, err error) {
	steps, err := migrations()
	if err != nil {
		return nil, err
	}
	err = to.Write(ctx, func(target *Tx) error {
		return db.Snapshot(ctx, func(source *Tx) error {
			tables, err := source.tables()
			if err != nil {
				return err
			}
			sums = nil
			if err := target.checkEmpty(steps); err != nil { // again: copying the objects may have taken hours
				return err
			}
			for _, t := range slices.Backward(tables) { // migrations have written some rows
				if _, err := target.Exec("DELETE FROM " + t.name); err != nil {
					return err
				}
			}
			for _, t := range tables {
				sum, err := t.copyRows(ctx, source, target)
				if err != nil {
					return fmt.Errorf("table %s: %w", t.name, err)
				}
				sums = append(sums, sum)
			}
			return target.continueNumbers()
		})
	})
	return sums, err
}

// SumRows reads all rows of a database as they are at one moment, and returns their sums.
func (db *DB) SumRows(ctx context.Context) (sums []TableSum, err error) {
	err = db.Snapshot(ctx, func(tx *Tx) error {
		tables, err := tx.tables()
		if err != nil {
			return err
		}
		for _, t := range tables {
			s := rowSum{}
			if err := t.read(ctx, tx, func(row []any, _ int) error { s.add(row); return nil }); err != nil {
				return fmt.Errorf("table %s: %w", t.name, err)
			}
			sums = append(sums, s.of(t.name))
		}
		return nil
	})
	return sums, err
}

var (
	createdTables = regexp.MustCompile(`(?m)^CREATE TABLE (\w+)`)
	filledTables  = regexp.MustCompile(`(?m)^INSERT INTO (\w+)`)
)

// checkEmpty returns ErrNotEmpty if a table has rows that no migration has written.
func (tx *Tx) checkEmpty(steps []database.Migration) error {
	filled := map[string]bool{}
	for _, step := range steps {
		for _, match := range filledTables.FindAllStringSubmatch(step.SQL, -1) {
			filled[match[1]] = true
		}
	}
	tables, err := tx.tables()
	if err != nil {
		return err
	}
	for _, t := range tables {
		var n int64
		err := tx.Row("SELECT 1 FROM " + t.name + " LIMIT 1").Scan(&n)
		switch {
		case err == nil && !filled[t.name]:
			return fmt.Errorf("%w: the table %s has rows", ErrNotEmpty, t.name)
		case err != nil && !errors.Is(err, ErrNotFound):
			return err
		}
	}
	return nil
}

// rowTable is a table whose rows are read and written without knowing what they mean.
type rowTable struct {
	name    string
	columns []string
	types   []string // text, bigint, boolean or double precision
}

// tables lists the tables that this database has of those that migrations make. Each comes
// after those to which it refers: migrations make them in this order.
func (tx *Tx) tables() (list []rowTable, err error) {
	steps, err := migrations()
	if err != nil {
		return nil, err
	}
	columns := map[string]*rowTable{}
	err = tx.Rows(func(scan func(...any) error) error {
		var table, column, kind string
		if err := scan(&table, &column, &kind); err != nil {
			return err
		}
		t := columns[table]
		if t == nil {
			t = &rowTable{name: table}
			columns[table] = t
		}
		t.columns, t.types = append(t.columns, column), append(t.types, strings.ToLower(kind))
		return nil
	}, tx.Dialect.Columns)
	if err != nil {
		return nil, err
	}
	for _, step := range steps {
		for _, match := range createdTables.FindAllStringSubmatch(step.SQL, -1) {
			if t := columns[match[1]]; t != nil {
				list = append(list, *t)
			}
		}
	}
	return list, nil
}

// read calls each for every row, with its values and the bytes of its texts.
func (t rowTable) read(ctx context.Context, tx *Tx, each func(row []any, bytes int) error) error {
	into, take := make([]any, len(t.columns)), make([]func() any, len(t.columns))
	for i, kind := range t.types {
		switch kind {
		case "text":
			into[i], take[i] = place[string]()
		case "bigint", "integer":
			into[i], take[i] = place[int64]()
		case "boolean":
			into[i], take[i] = place[bool]()
		case "double precision":
			into[i], take[i] = place[float64]()
		default:
			return fmt.Errorf("the column %s has the type %s", t.columns[i], kind)
		}
	}
	return tx.Rows(func(scan func(...any) error) error {
		if err := errors.Join(ctx.Err(), scan(into...)); err != nil {
			return err
		}
		row, bytes := make([]any, len(into)), 0
		for i := range row {
			row[i] = take[i]()
			if text, ok := row[i].(string); ok {
				bytes += len(text)
			}
		}
		return each(row, bytes)
	}, "SELECT "+strings.Join(t.columns, ", ")+" FROM "+t.name)
}

// place is where a value is read into, and a function that returns it.
func place[T any]() (any, func() any) {
	v := new(T)
	return v, func() any { return *v }
}

// Rows are inserted with statements of batchRows, as long as they have no more than
// batchBytes of text together.
const (
	batchRows  = 50
	batchBytes = 1 << 20
)

func (t rowTable) copyRows(ctx context.Context, source, target *Tx) (TableSum, error) {
	var (
		sum   rowSum
		batch []any
		bytes int
		one   = t.insertion(1)
		many  = t.insertion(batchRows)
	)
	flush := func() error {
		for len(batch) > 0 {
			if _, err := target.Exec(one, batch[:len(t.columns)]...); err != nil {
				return err
			}
			batch = batch[len(t.columns):]
		}
		batch, bytes = nil, 0
		return nil
	}
	err := t.read(ctx, source, func(row []any, size int) error {
		sum.add(row)
		batch, bytes = append(batch, row...), bytes+size
		switch {
		case len(batch) == batchRows*len(t.columns):
			_, err := target.Exec(many, batch...)
			batch, bytes = batch[:0], 0
			return err
		case bytes >= batchBytes:
			return flush()
		}
		return nil
	})
	if err == nil {
		err = flush()
	}
	return sum.of(t.name), err
}

// insertion is the statement that inserts a number of rows.
func (t rowTable) insertion(rows int) string {
	var b strings.Builder
	b.WriteString("INSERT INTO " + t.name + " (" + strings.Join(t.columns, ", ") + ") VALUES ")
	for i := range rows {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("(" + database.Marks(1+i*len(t.columns), len(t.columns)) + ")")
	}
	return b.String()
}

// continueNumbers has the database number new rows after those that were copied. The table of
// records is the only one whose rows it numbers.
func (tx *Tx) continueNumbers() error {
	if tx.Dialect.ContinueNumbers == "" {
		return nil
	}
	var next int64
	return tx.Row(fmt.Sprintf(tx.Dialect.ContinueNumbers, "work_record")).Scan(&next)
}

// rowSum adds up the digests of rows.
type rowSum struct {
	rows int64
	sum  [4]uint64
}

func (s *rowSum) add(row []any) {
	h := sha256.New()
	var number [9]byte
	for _, value := range row {
		text := ""
		switch v := value.(type) {
		case string:
			number[0], text = 't', v
			binary.BigEndian.PutUint64(number[1:], uint64(len(v)))
		case int64:
			number[0] = 'i'
			binary.BigEndian.PutUint64(number[1:], uint64(v))
		case float64:
			number[0] = 'f'
			binary.BigEndian.PutUint64(number[1:], math.Float64bits(v))
		case bool:
			number = [9]byte{'b'}
			if v {
				number[8] = 1
			}
		}
		h.Write(number[:])
		h.Write([]byte(text))
	}
	digest := h.Sum(nil)
	for i := range s.sum {
		s.sum[i] += binary.BigEndian.Uint64(digest[8*i:])
	}
	s.rows++
}

func (s *rowSum) of(table string) TableSum {
	var bytes []byte
	for _, n := range s.sum {
		bytes = binary.BigEndian.AppendUint64(bytes, n)
	}
	return TableSum{Name: table, Rows: s.rows, Digest: hex.EncodeToString(bytes)}
}
