package store

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// groupWriter is the one writer of a SQLite file. Changes that wait while a
// commit is being synced to disk go together into the next one, each in a
// savepoint of its own, so that a failing change takes none of its neighbours
// with it.
type groupWriter struct {
	session *sqliteSession
	queue   chan *change
	limit   int
	done    chan struct{} // closed when the goroutine has ended
	crash   func(after bool) bool
	dead    bool // crash has said true

	mu     sync.RWMutex // held for reading while a change is being queued
	closed bool
}

// change is one function waiting to be written.
type change struct {
	fn     func(*Tx) error
	tx     *Tx
	err    error
	result chan error
}

const defaultGroupLimit = 128

var errClosed = errors.New("store: the database is closed")

func newGroupWriter(session *sqliteSession, limit int, crash func(bool) bool) *groupWriter {
	if limit <= 0 {
		limit = defaultGroupLimit
	}
	w := &groupWriter{session: session, queue: make(chan *change, limit), limit: limit, done: make(chan struct{}), crash: crash}
	go w.run()
	return w
}

func (w *groupWriter) write(ctx context.Context, fn func(*Tx) error) error {
	c := &change{fn: fn, result: make(chan error, 1)}
	if err := w.enqueue(ctx, c); err != nil {
		return err
	}
	// Once queued, the change runs whether or not the caller still cares, so
	// the answer is waited for: "cancelled" would not say if it was written.
	if err := <-c.result; err != nil {
		return err
	}
	c.tx.committed()
	return nil
}

func (w *groupWriter) enqueue(ctx context.Context, c *change) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return errClosed
	}
	select {
	case w.queue <- c:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *groupWriter) run() {
	defer close(w.done)
	for first := range w.queue {
		w.commit(w.gather(first))
	}
	w.session.close()
}

// gather begins a transaction and runs in it the first change and those that
// are waiting behind it.
func (w *groupWriter) gather(first *change) []*change {
	group := []*change{first}
	if _, err := w.session.exec(background, "BEGIN IMMEDIATE", nil); err != nil {
		first.err = err
		return group
	}
	w.apply(first)
	for len(group) < w.limit {
		select {
		case next, ok := <-w.queue:
			if !ok {
				return group
			}
			w.apply(next)
			group = append(group, next)
		default:
			return group
		}
	}
	return group
}

// apply runs one change in a savepoint.
func (w *groupWriter) apply(c *change) {
	if _, err := w.session.exec(background, "SAVEPOINT change", nil); err != nil {
		c.err = err
		return
	}
	c.tx = &Tx{ctx: background, session: w.session, dialect: sqliteDialect}
	c.err = guarded(c.fn, c.tx)
	if c.err != nil {
		if _, err := w.session.exec(background, "ROLLBACK TO change", nil); err != nil {
			c.err = errors.Join(c.err, err)
		}
	}
	if _, err := w.session.exec(background, "RELEASE change", nil); err != nil {
		c.err = errors.Join(c.err, err)
	}
}

// commit makes the group durable and tells each caller.
func (w *groupWriter) commit(group []*change) {
	err := w.killed(false)
	if err == nil {
		_, err = w.session.exec(background, "COMMIT", nil)
	}
	if err != nil {
		// Nothing of the group is written; leave the connection usable.
		_, _ = w.session.exec(background, "ROLLBACK", nil)
	} else {
		err = w.killed(true) // written, but nobody will hear of it
	}
	for _, c := range group {
		if c.err == nil && err != nil {
			c.err = fmt.Errorf("commit: %w", err)
		}
		c.result <- c.err
	}
}

// killed is where tests have the process die.
func (w *groupWriter) killed(after bool) error {
	if w.crash == nil || (!w.dead && !w.crash(after)) {
		return nil
	}
	w.dead = true
	return errClosed
}

// guarded runs fn and turns a panic into an error: the writer serves everyone
// and must outlive one caller's mistake.
func guarded(fn func(*Tx) error, tx *Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("store: panic in a change: %v\n%s", p, debug.Stack())
		}
	}()
	return fn(tx)
}

func (w *groupWriter) close() {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.queue)
	}
	w.mu.Unlock()
	<-w.done
}
