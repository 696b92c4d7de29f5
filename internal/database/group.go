package database

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
)

// groupWriter is the one writer of a SQLite file. Changes that wait while a commit
// is being synced to disk go together into the next commit. When one change of a
// group fails, the others run again without it.
type groupWriter struct {
	session  *sqliteSession
	queue    chan *change
	limit    int
	done     chan struct{} // closed when the goroutine has ended
	crash    func(after bool) bool
	rehearse bool // every change runs twice
	dead     bool // crash has returned true
	reserve  *reserve
	observe  func(operation string, took time.Duration) // may be nil

	mu     sync.RWMutex // held for reading while a change is being queued
	closed bool
}

// change is one function waiting to be written.
type change struct {
	fn     func(*Tx) error
	kind   writeKind
	tx     *Tx
	err    error
	result chan error
}

const defaultGroupLimit = 128

var errClosed = unavailable(atelier.PartDatabase, errors.New("database: the database is closed"))

func newGroupWriter(session *sqliteSession, o Options, r *reserve) *groupWriter {
	limit := o.GroupLimit
	if limit <= 0 {
		limit = defaultGroupLimit
	}
	w := &groupWriter{session: session, queue: make(chan *change, limit), limit: limit, done: make(chan struct{}), crash: o.Crash, rehearse: o.Rehearse, reserve: r, observe: o.Observe}
	go w.run()
	return w
}

func (w *groupWriter) write(ctx context.Context, kind writeKind, fn func(*Tx) error) error {
	c := &change{fn: fn, kind: kind, result: make(chan error, 1)}
	if err := w.enqueue(ctx, c); err != nil {
		return err
	}
	// Once queued, the change runs whether or not the caller's context ends, so the
	// result is waited for: "cancelled" would not say whether it was written.
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
		return waitedFor(ctx)
	}
}

func (w *groupWriter) run() {
	defer close(w.done)
	for first := range w.queue {
		w.commit(w.gather(first))
	}
	w.session.close()
}

// gather runs, in one transaction, the first change and those that wait behind it.
// They run without savepoints at first: a savepoint copies every page that its
// change writes. When one fails, the transaction is undone and the changes before it
// run again, each in a savepoint, as do those that follow.
func (w *groupWriter) gather(first *change) (group []*change) {
	if first.err = w.begin(); first.err != nil {
		return []*change{first}
	}
	careful := w.rehearse
	for next := first; next != nil; next = w.waiting(len(group)) {
		group = append(group, next)
		if careful {
			w.apply(next)
			continue
		}
		w.attempt(next)
		if next.err != nil {
			careful = true
			if !w.rerun(group) {
				break
			}
		}
	}
	return group
}

// waiting takes the next change from the queue, unless the group is full.
func (w *groupWriter) waiting(size int) *change {
	if size >= w.limit {
		return nil
	}
	select {
	case next := <-w.queue:
		return next // nil when the queue is closed
	default:
		return nil
	}
}

func (w *groupWriter) begin() error {
	_, err := w.session.exec(background, "BEGIN IMMEDIATE", nil)
	return err
}

// attempt runs one change.
func (w *groupWriter) attempt(c *change) {
	c.tx = &Tx{ctx: background, session: w.session, Dialect: sqliteDialect}
	c.err = guarded(c.fn, c.tx)
}

// rerun undoes the transaction and runs the changes that did not fail again. It reports
// false when no new transaction could begin; then all have failed.
func (w *groupWriter) rerun(group []*change) bool {
	_, _ = w.session.exec(background, "ROLLBACK", nil) // SQLite may have done so already, such as on a full disk
	err := w.begin()
	for _, c := range group {
		switch {
		case c.err != nil:
		case err != nil:
			c.err = err
		default:
			w.apply(c)
		}
	}
	return err == nil
}

// apply runs one change in a savepoint, so that it can fail alone.
func (w *groupWriter) apply(c *change) {
	for rehearsal := w.rehearse; ; rehearsal = false {
		if _, err := w.session.exec(background, "SAVEPOINT change", nil); err != nil {
			c.err = err
			return
		}
		w.attempt(c)
		if c.err != nil || rehearsal {
			if _, err := w.session.exec(background, "ROLLBACK TO change", nil); err != nil {
				c.err = errors.Join(c.err, err)
			}
		}
		if _, err := w.session.exec(background, "RELEASE change", nil); err != nil {
			c.err = errors.Join(c.err, err)
		}
		if !rehearsal {
			return
		}
	}
}

// commit makes the group durable and returns the result to each caller.
func (w *groupWriter) commit(group []*change) {
	err := w.killed(false)
	if err == nil {
		began := time.Now()
		_, err = w.session.exec(background, "COMMIT", nil)
		if w.observe != nil {
			w.observe("commit", time.Since(began))
		}
	}
	if err != nil {
		// Nothing of the group is written; leave the connection usable.
		_, _ = w.session.exec(background, "ROLLBACK", nil)
	} else {
		err = w.killed(true) // written, but its callers are gone
	}
	for _, c := range group {
		if c.err == nil && err != nil {
			c.err = fmt.Errorf("commit: %w", err)
		}
		if c.kind == deletion {
			w.makeSpace(c)
		}
		c.result <- c.err
	}
}

// makeSpace runs a deletion again that found the disk full, with the space of the reserve:
// alone, so that nothing else takes it. The checkpoint lets the next change write where the
// log began. While the reserve is short, every deletion tries to fill it again.
func (w *groupWriter) makeSpace(c *change) {
	if isFull(c.err) && w.reserve.release() {
		if c.err = w.begin(); c.err == nil {
			w.attempt(c)
		}
		if c.err == nil {
			_, c.err = w.session.exec(background, "COMMIT", nil)
		}
		if c.err != nil {
			_, _ = w.session.exec(background, "ROLLBACK", nil)
		}
		_ = w.session.pragma("PRAGMA wal_checkpoint(PASSIVE)")
	}
	w.reserve.fill()
}

// killed is the point at which tests simulate the death of the process.
func (w *groupWriter) killed(after bool) error {
	if w.crash == nil || (!w.dead && !w.crash(after)) {
		return nil
	}
	w.dead = true
	return errClosed
}

// guarded runs fn and turns a panic into an error: the writer serves all callers and
// must survive the mistake of one.
func guarded(fn func(*Tx) error, tx *Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("database: panic in a change: %v\n%s", p, debug.Stack())
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
