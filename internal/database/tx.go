package database

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Tx is the transaction of a function given to Read, Snapshot or Write.
type Tx struct {
	Dialect *Dialect

	ctx      context.Context
	session  session
	onCommit []func()

	queue  []statement // what Later has taken and is not sent yet
	failed error       // of a statement that Later has taken: nothing of this transaction is written
	isLost bool        // the connection was lost while it was committed: it may be written or not
}

// session runs statements on one connection.
type session interface {
	exec(ctx context.Context, sql string, args []any) (int64, error)
	query(ctx context.Context, sql string, args []any, each func(scan func(...any) error) error) error

	// pipeline runs statements one after the other, until one fails, without waiting between
	// them. It returns the error, and how many statements have succeeded.
	pipeline(ctx context.Context, list []statement) (int, error)
}

// OnCommit calls f once the change is durable, on the goroutine that called Write. It
// does not call it when the change fails.
func (tx *Tx) OnCommit(f func()) { tx.onCommit = append(tx.onCommit, f) }

// IsAlone reports whether no other transaction changes anything while this one runs: on SQLite.
// Then it needs no locks, and may take them in any order.
func (tx *Tx) IsAlone() bool { return tx.Dialect.ForUpdate == "" }

func (tx *Tx) committed() {
	for _, f := range tx.onCommit {
		f()
	}
}

// Exec runs a statement and returns how many rows it changed.
func (tx *Tx) Exec(sql string, args ...any) (n int64, err error) {
	if len(tx.queue) == 0 && tx.failed == nil {
		return tx.session.exec(tx.ctx, sql, args)
	}
	err = tx.run(statement{sql: sql, args: args, changed: func(rows int64) error { n = rows; return nil }})
	return n, err
}

// Must runs a statement that has to change exactly one row. ErrNotFound means that
// it changed none; more than one is an error that undoes the transaction.
func (tx *Tx) Must(sql string, args ...any) error {
	n, err := tx.Exec(sql, args...)
	if err != nil {
		return err
	}
	return one(n)
}

// one is the error of a statement for one row that changed n.
func one(n int64) error {
	switch {
	case n == 0:
		return ErrNotFound
	case n > 1:
		return fmt.Errorf("database: a statement for one row changed %d", n)
	}
	return nil
}

// Rows calls each for every row of a query.
func (tx *Tx) Rows(each func(scan func(...any) error) error, sql string, args ...any) error {
	if len(tx.queue) == 0 && tx.failed == nil {
		return tx.session.query(tx.ctx, sql, args, each)
	}
	return tx.run(statement{sql: sql, args: args, each: each})
}

// ErrEnough ends a query whose reader needs no more rows.
var ErrEnough = errors.New("database: stop reading")

// SomeRows is Rows for a reader that may stop with ErrEnough.
func (tx *Tx) SomeRows(each func(scan func(...any) error) error, sql string, args ...any) error {
	err := tx.Rows(each, sql, args...)
	if errors.Is(err, ErrEnough) {
		return nil
	}
	return err
}

// Portion bounds how much of a list is read, in rows and in bytes. The first row is
// always read.
type Portion struct {
	Limit int
	Bytes int64

	Size  int64 // the bytes that were read
	More  bool  // another row follows the last one
	count int
}

// Count counts a row. It returns ErrEnough when the row is one too many.
func (p *Portion) Count(bytes int) error {
	if p.count == p.Limit || (p.count > 0 && p.Size+int64(bytes) > p.Bytes) {
		p.More = true
		return ErrEnough
	}
	p.count++
	p.Size += int64(bytes)
	return nil
}

// Row prepares a query for one row, which Scan runs.
func (tx *Tx) Row(sql string, args ...any) Row { return Row{tx, sql, args} }

// Row is a query for one row.
type Row struct {
	tx   *Tx
	sql  string
	args []any
}

// Scan runs the query and fills dest, or returns ErrNotFound when it has no row.
func (r Row) Scan(dest ...any) error {
	found := false
	err := r.tx.Rows(func(scan func(...any) error) error {
		found = true
		return scan(dest...)
	}, r.sql, r.args...)
	if err == nil && !found {
		return ErrNotFound
	}
	return err
}

// Texts are the values of the parameters of a list.
func Texts[T ~string](list []T) []any {
	out := make([]any, len(list))
	for i, text := range list {
		out[i] = string(text)
	}
	return out
}

// Marks are the parameters of a list: many of them, from a number on.
func Marks(from, many int) string {
	var b strings.Builder
	for i := range many {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(from + i))
	}
	return b.String()
}

// Millis is how a time is stored: in Unix milliseconds, and as 0 when it is zero.
func Millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// FromMillis is the time that is stored as ms.
func FromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
