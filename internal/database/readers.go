package database

import (
	"context"
	"sync"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/admission"
)

// readers are the connections of a SQLite file that read. Accounts that wait for one take turns, so that the many reads
// of one do not delay the few of another.
type readers struct {
	all int // how many there are

	mu      sync.Mutex
	idle    []*sqliteSession // nil for one that is not open yet; the last was used last
	waiting admission.Turns[atelier.Wallet, chan *sqliteSession]
}

func newReaders(many int) *readers { return &readers{all: many, idle: make([]*sqliteSession, many)} }

// take waits for a connection, which is nil when it is not open yet.
func (r *readers) take(ctx context.Context) (*sqliteSession, error) {
	r.mu.Lock()
	if last := len(r.idle) - 1; last >= 0 {
		defer r.mu.Unlock()
		session := r.idle[last]
		r.idle = r.idle[:last]
		return session, nil
	}
	account, ready := admission.AccountOf(ctx), make(chan *sqliteSession, 1)
	r.waiting.Add(account, ready)
	r.mu.Unlock()
	select {
	case session := <-ready:
		return session, nil
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case session := <-ready: // in the meantime
		r.pass(session)
	default:
		r.waiting.Remove(account, func(other chan *sqliteSession) bool { return other == ready })
	}
	return nil, waitedFor(ctx)
}

// give gives a connection back.
func (r *readers) give(session *sqliteSession) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pass(session)
}

// pass gives a connection to the account whose turn it is, or to none. The lock is held.
func (r *readers) pass(session *sqliteSession) {
	account, ready, isWanted := r.waiting.Next(func(chan *sqliteSession) bool { return true })
	if !isWanted {
		r.idle = append(r.idle, session)
		return
	}
	r.waiting.Done(account) // an account may have several: only the order is by turns
	ready <- session
}
