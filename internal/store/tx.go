package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Tx is the transaction of a function given to Read, Snapshot or Write. Its methods
// are in the files named after the entities of the service.
type Tx struct {
	ctx      context.Context
	session  session
	dialect  dialect
	onCommit []func()

	noRecords bool                // see Options.NoRecords
	changed   func(AccountChange) // see DB.OnChange
	touched   []AccountChange
}

// session runs statements on one connection.
type session interface {
	exec(ctx context.Context, sql string, args []any) (int64, error)
	query(ctx context.Context, sql string, args []any, each func(scan func(...any) error) error) error
}

// OnCommit calls f once the change is durable, on the goroutine that called Write. It
// does not call it when the change fails.
func (tx *Tx) OnCommit(f func()) { tx.onCommit = append(tx.onCommit, f) }

func (tx *Tx) committed() {
	for _, f := range tx.onCommit {
		f()
	}
}

// exec runs a statement and returns how many rows it changed.
func (tx *Tx) exec(sql string, args ...any) (int64, error) {
	return tx.session.exec(tx.ctx, sql, args)
}

// must runs a statement that has to change exactly one row. ErrNotFound means that
// it changed none; more than one is an error that undoes the transaction.
func (tx *Tx) must(sql string, args ...any) error {
	n, err := tx.exec(sql, args...)
	switch {
	case err != nil:
		return err
	case n == 0:
		return ErrNotFound
	case n > 1:
		return fmt.Errorf("store: a statement for one row changed %d", n)
	}
	return nil
}

// rows calls each for every row of a query.
func (tx *Tx) rows(each func(scan func(...any) error) error, sql string, args ...any) error {
	return tx.session.query(tx.ctx, sql, args, each)
}

// errEnough ends a query whose reader needs no more rows.
var errEnough = errors.New("store: stop reading")

// someRows is rows for a reader that may stop with errEnough.
func (tx *Tx) someRows(each func(scan func(...any) error) error, sql string, args ...any) error {
	err := tx.rows(each, sql, args...)
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// part bounds how much of a list is read, in rows and in bytes. The first row is
// always read.
type part struct {
	limit int
	bytes int64
	count int
	read  int64
	more  bool // another row follows the last one
}

// countRow counts a row. It returns errEnough when the row is one too many.
func (p *part) countRow(bytes int) error {
	if p.count == p.limit || (p.count > 0 && p.read+int64(bytes) > p.bytes) {
		p.more = true
		return errEnough
	}
	p.count++
	p.read += int64(bytes)
	return nil
}

// row runs a query for one row.
func (tx *Tx) row(sql string, args ...any) oneRow { return oneRow{tx, sql, args} }

type oneRow struct {
	tx   *Tx
	sql  string
	args []any
}

// scan fills dest, or returns ErrNotFound when the query has no row.
func (r oneRow) scan(dest ...any) error {
	found := false
	err := r.tx.rows(func(scan func(...any) error) error {
		found = true
		return scan(dest...)
	}, r.sql, r.args...)
	if err == nil && !found {
		return ErrNotFound
	}
	return err
}

// texts are the values of the parameters of a list.
func texts[T ~string](list []T) []any {
	out := make([]any, len(list))
	for i, text := range list {
		out[i] = string(text)
	}
	return out
}

// marks are the parameters of a list: many of them, from a number on.
func marks(from, many int) string {
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
