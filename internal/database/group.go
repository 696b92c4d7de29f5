package database

import (
	"cmp"
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
	sync     *logSync
	queue    chan *change
	next     *change // the first of the queue, when it was taken already
	limit    int
	done     chan struct{} // closed when the goroutine has ended
	crash    func(after bool) bool
	fail     func(Moment) error
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
	sync := &logSync{session: session, path: o.Path + "-wal", off: o.NoSync}
	limit := o.GroupLimit
	if limit <= 0 {
		limit = defaultGroupLimit
	}
	w := &groupWriter{session: session, sync: sync, queue: make(chan *change, limit), limit: limit, done: make(chan struct{}), crash: o.Crash, fail: o.Fail, rehearse: o.Rehearse, reserve: r, observe: o.Observe}
	go w.run()
	return w
}

func (w *groupWriter) write(ctx context.Context, kind writeKind, fn func(*Tx) error) error {
	if err := failure(w.fail, BeforeWrite); err != nil {
		return err
	}
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
	for first := w.first(); first != nil; first = w.first() {
		w.commit(w.gather(first))
	}
	w.session.close()
}

// first waits for the first change of a group. It is nil when the queue is closed.
func (w *groupWriter) first() *change {
	if first := w.next; first != nil {
		w.next = nil
		return first
	}
	return <-w.queue
}

// gather runs, in one transaction, the first change and those that wait behind it.
// They run without savepoints at first: a savepoint copies every page that its
// change writes. When one fails, the transaction is undone and the changes before it
// run again, each in a savepoint, as do those that follow. So do they when SQLite itself
// ends the transaction, as it may on a full disk.
//
// Whether the commit is synced is decided here, because SQLite does not change that
// within a transaction. A group whose commit is not takes only changes that need no sync.
func (w *groupWriter) gather(first *change) (group []*change) {
	w.peek()
	isSynced := first.kind != unsynced || w.next != nil && w.next.kind != unsynced
	if first.err = w.begin(isSynced); first.err != nil {
		return []*change{first}
	}
	careful := w.rehearse
	for next := first; next != nil; next = w.waiting(len(group), isSynced) {
		group = append(group, next)
		if careful {
			w.apply(next)
		} else {
			w.attempt(next)
		}
		if w.session.isOver() || !careful && next.err != nil {
			careful = true
			if !w.rerun(group, isSynced) {
				break
			}
		}
	}
	return group
}

// peek looks for a change that waits.
func (w *groupWriter) peek() {
	if w.next != nil {
		return
	}
	select {
	case w.next = <-w.queue: // nil when the queue is closed
	default:
	}
}

// waiting takes the next change that waits, unless the group is full or the change does not belong to it.
func (w *groupWriter) waiting(size int, isSynced bool) *change {
	if w.peek(); size >= w.limit || w.next == nil || !isSynced && w.next.kind != unsynced {
		return nil
	}
	next := w.next
	w.next = nil
	return next
}

func (w *groupWriter) begin(isSynced bool) error {
	if err := w.sync.set(isSynced); err != nil {
		return err
	}
	_, err := w.session.exec(background, "BEGIN IMMEDIATE", nil)
	w.session.isOpen = err == nil
	return err
}

// end ends the transaction by COMMIT or ROLLBACK.
func (w *groupWriter) end(how string) error {
	w.session.isOpen = false
	_, err := w.session.exec(background, how, nil)
	return err
}

// attempt runs one change. It fails when the transaction is over, whatever its function made of that.
func (w *groupWriter) attempt(c *change) {
	c.tx = &Tx{ctx: background, session: w.session, Dialect: sqliteDialect}
	if c.err = c.tx.end(guarded(c.fn, c.tx)); c.err == nil && w.session.isOver() {
		c.err = errOver
	}
}

// rerun undoes the transaction and runs the changes that did not fail again. It reports
// false when no new transaction could begin; then all have failed.
func (w *groupWriter) rerun(group []*change, isSynced bool) bool {
	for {
		_ = w.end("ROLLBACK") // SQLite may have done so already, such as on a full disk
		err := w.begin(isSynced)
		for _, c := range group {
			switch {
			case c.err != nil || w.session.isOver():
			case err != nil:
				c.err = err
			default:
				w.apply(c)
			}
		}
		if !w.session.isOver() { // otherwise without the change that ended it
			return err == nil
		}
	}
}

// apply runs one change in a savepoint, so that it can fail alone.
func (w *groupWriter) apply(c *change) {
	for rehearsal := w.rehearse; ; rehearsal = false {
		if _, err := w.session.exec(background, "SAVEPOINT change", nil); err != nil {
			c.err = err
			return
		}
		if w.attempt(c); w.session.isOver() {
			return
		}
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
	err := cmp.Or(w.killed(false), failure(w.fail, BeforeCommit))
	if err == nil {
		began := time.Now()
		err = w.end("COMMIT")
		if w.observe != nil {
			w.observe("commit", time.Since(began))
		}
	}
	if err != nil {
		// Nothing of the group is written; leave the connection usable.
		_ = w.end("ROLLBACK")
	} else {
		w.sync.committed()
		err = cmp.Or(w.killed(true), failure(w.fail, AfterCommit)) // written, but its callers are gone
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
		if c.err = w.begin(true); c.err == nil {
			w.attempt(c)
		}
		if c.err == nil {
			c.err = w.end("COMMIT")
		}
		if c.err != nil {
			_ = w.end("ROLLBACK")
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
