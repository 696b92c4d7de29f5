package account

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/atelier-project/atelier/internal/store"
)

// lookups shares the lookup of a credential between requests. A request never uses a lookup that
// began before it arrived, so it sees every revocation that was committed before; but all
// requests that are waiting when a lookup begins share it.
type lookups[T any] struct {
	find func(ctx context.Context, hash string) (T, error)

	mu      sync.Mutex
	waiting map[string]*lookup[T] // by hash: the next one to begin
}

type lookup[T any] struct {
	done  chan struct{}
	found T
	err   error
}

// lookupTimeout limits a shared lookup: it serves many requests, so it must not end with
// the first of them.
const lookupTimeout = 10 * time.Second

var errBroken = errors.New("account: the lookup was interrupted")

func newLookups[T any](find func(context.Context, string) (T, error)) *lookups[T] {
	return &lookups[T]{find: find, waiting: map[string]*lookup[T]{}}
}

// owner finds the owner of a credential by its hash.
func (l *lookups[T]) owner(ctx context.Context, hash string) (T, error) {
	l.mu.Lock()
	shared, joined := l.waiting[hash]
	if !joined {
		shared = &lookup[T]{done: make(chan struct{}), err: errBroken}
		l.waiting[hash] = shared
	}
	l.mu.Unlock()
	if joined {
		<-shared.done // it has its own timeout, and does not end with its caller
	} else {
		l.run(ctx, hash, shared)
	}
	return shared.found, shared.err
}

// run waits until other ready requests have joined, closes the group and reads.
func (l *lookups[T]) run(ctx context.Context, hash string, mine *lookup[T]) {
	runtime.Gosched()
	l.mu.Lock()
	delete(l.waiting, hash)
	l.mu.Unlock()
	defer close(mine.done) // also when find panics
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookupTimeout)
	defer cancel()
	mine.found, mine.err = l.find(ctx, hash)
}

// Changes is a number that changes when a credential stops being valid before its time, or is limited otherwise.
func (e *Engine) Changes(ctx context.Context) (n int64, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		n, err = tx.CredentialChanges()
		return err
	})
	return n, err
}
