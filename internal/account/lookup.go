package account

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
)

// lookups shares the lookup of a key between requests. A request never uses a lookup that
// began before it arrived, so it sees every revocation that was committed before; but all
// requests that are waiting when a lookup begins share it.
type lookups struct {
	find func(ctx context.Context, hash string) (atelier.Account, error)

	mu      sync.Mutex
	waiting map[string]*lookup // by hash: the next one to begin
}

type lookup struct {
	done    chan struct{}
	account atelier.Account
	err     error
}

// lookupTimeout limits a shared lookup: it serves many requests, so it must not end with
// the first of them.
const lookupTimeout = 10 * time.Second

var errBroken = errors.New("account: the lookup was interrupted")

func newLookups(find func(context.Context, string) (atelier.Account, error)) *lookups {
	return &lookups{find: find, waiting: map[string]*lookup{}}
}

// account finds the owner of a key.
func (l *lookups) account(ctx context.Context, hash string) (atelier.Account, error) {
	l.mu.Lock()
	shared, joined := l.waiting[hash]
	if !joined {
		shared = &lookup{done: make(chan struct{}), err: errBroken}
		l.waiting[hash] = shared
	}
	l.mu.Unlock()
	if joined {
		<-shared.done // it has its own timeout, and does not end with its caller
	} else {
		l.run(ctx, hash, shared)
	}
	return shared.account, shared.err
}

// run waits until other ready requests have joined, closes the group and reads.
func (l *lookups) run(ctx context.Context, hash string, mine *lookup) {
	runtime.Gosched()
	l.mu.Lock()
	delete(l.waiting, hash)
	l.mu.Unlock()
	defer close(mine.done) // also when find panics
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookupTimeout)
	defer cancel()
	mine.account, mine.err = l.find(ctx, hash)
}
