package database

import (
	"errors"
	"fmt"
)

// statement is a statement of a transaction, and what becomes of its result.
type statement struct {
	sql  string
	args []any

	each    func(scan func(...any) error) error // for every row; nil for a statement that is not a query
	changed func(rows int64) error              // when it is done: how many rows it has changed; may be nil
	isMust  bool                                // it has to change exactly one row
	repeats bool                                // the change runs again when it finds a row that exists
}

// isJudged reports whether it can fail although the database has run it. Then the database
// must not be told to commit before its result is known.
func (s statement) isJudged() bool { return s.each != nil || s.changed != nil }

// finish ends a statement that has run.
func (s statement) finish(rows int64) error {
	switch {
	case s.isMust:
		return one(rows)
	case s.changed != nil:
		return s.changed(rows)
	}
	return nil
}

// Later runs a statement of whose result nothing in the change depends: it is sent together
// with the next statement that is waited for, or with the commit. On PostgreSQL that saves a
// round trip. Statements keep their order. When one fails, the change fails with its error,
// whatever its function returns.
func (tx *Tx) Later(sql string, args ...any) { tx.later(statement{sql: sql, args: args}) }

// MustLater is Later for a statement that has to change exactly one row.
func (tx *Tx) MustLater(sql string, args ...any) {
	tx.later(statement{sql: sql, args: args, isMust: true})
}

// CheckLater is Later for a statement whose number of changed rows decides: an error of check
// undoes the change. Prefer MustLater, behind which a commit can be sent at once.
func (tx *Tx) CheckLater(check func(rows int64) error, sql string, args ...any) {
	tx.later(statement{sql: sql, args: args, changed: check})
}

// RepeatLater is Later for an insertion whose key another transaction may have taken: the
// change then runs again, and has to make another one.
func (tx *Tx) RepeatLater(sql string, args ...any) {
	tx.later(statement{sql: sql, args: args, repeats: true})
}

// errTaken says that a change has to run again.
var errTaken = errors.New("database: another transaction took the key")

// Again is an error of a check with which the change runs again, because another transaction has changed what it had
// read. It is the error of the change when that happens too often.
func Again(err error) error { return fmt.Errorf("%w: %w", errTaken, err) }

// RowsLater is Rows for a query whose rows are needed later: after the next statement that is
// waited for, or after Flush.
func (tx *Tx) RowsLater(each func(scan func(...any) error) error, sql string, args ...any) {
	tx.later(statement{sql: sql, args: args, each: each})
}

// ScanLater is Scan that fills dest later, as RowsLater does. Without a row the change fails
// with ErrNotFound.
func (r Row) ScanLater(dest ...any) {
	found := false
	r.tx.later(statement{sql: r.sql, args: r.args,
		each: func(scan func(...any) error) error { found = true; return scan(dest...) },
		changed: func(int64) error {
			if !found {
				return ErrNotFound
			}
			return nil
		}})
}

func (tx *Tx) later(s statement) {
	if tx.queue = append(tx.queue, s); len(tx.queue) == mostQueued {
		_ = tx.Flush() // the transaction keeps the error
	}
}

// mostQueued is how many statements wait at most.
const mostQueued = 128

// Flush waits for the statements that Later has taken.
func (tx *Tx) Flush() error {
	if tx.failed == nil && len(tx.queue) > 0 {
		list := tx.queue
		tx.queue = nil
		_, tx.failed = tx.session.pipeline(tx.ctx, list)
	}
	return tx.failed
}

// errEarlier is the error of a statement after one that Later has taken and that failed. It
// says nothing about itself, so that no caller takes the other error for its own.
var errEarlier = errors.New("database: an earlier statement of the transaction failed")

// run runs a statement behind those that Later has taken.
func (tx *Tx) run(last statement) error {
	if tx.failed != nil {
		return errEarlier
	}
	list := append(tx.queue, last)
	tx.queue = nil
	done, err := tx.session.pipeline(tx.ctx, list)
	if err != nil && done < len(list)-1 {
		tx.failed = err
		return fmt.Errorf("%w: %v", errEarlier, err)
	}
	return err
}

// end is the outcome of a function whose transaction this is: its own error, or that of a
// statement that Later has taken, which caused it.
func (tx *Tx) end(own error) error {
	switch {
	case tx.failed != nil:
		return tx.failed
	case own != nil:
		return own
	}
	return tx.Flush()
}
