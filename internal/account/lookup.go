package account

import (
	"context"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
)

// lookups shares the reading of a key between requests. A request never gets
// the answer of a lookup that began before it came, so a revocation that was
// committed before a request is always seen by it; but all the requests that
// come while one lookup runs share the next one.
type lookups struct {
	find func(ctx context.Context, hash string) (atelier.Account, error)

	mu      sync.Mutex
	running map[string]*lookup // by hash: the one being read
	next    map[string]*lookup // by hash: the one that will be read after it
}

type lookup struct {
	done    chan struct{}
	waiters int // besides the one that runs it
	account atelier.Account
	err     error
}

// lookupTimeout bounds a shared lookup: it serves many requests, so it must
// not end with the first of them.
const lookupTimeout = 10 * time.Second

func newLookups(find func(context.Context, string) (atelier.Account, error)) *lookups {
	return &lookups{find: find, running: map[string]*lookup{}, next: map[string]*lookup{}}
}

// account finds the owner of a key.
func (l *lookups) account(ctx context.Context, hash string) (atelier.Account, error) {
	l.mu.Lock()
	if l.running[hash] == nil {
		mine := &lookup{done: make(chan struct{})}
		l.running[hash] = mine
		l.mu.Unlock()
		l.run(ctx, hash, mine)
		return mine.account, mine.err
	}
	shared := l.next[hash]
	if shared == nil {
		shared = &lookup{done: make(chan struct{})}
		l.next[hash] = shared
	}
	shared.waiters++
	l.mu.Unlock()
	select {
	case <-shared.done:
		return shared.account, shared.err
	case <-ctx.Done():
		return atelier.Account{}, ctx.Err()
	}
}

// run reads, tells those who wait, and starts the next lookup if anybody came
// meanwhile.
func (l *lookups) run(ctx context.Context, hash string, mine *lookup) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookupTimeout)
	defer cancel()
	mine.account, mine.err = l.find(ctx, hash)
	close(mine.done)

	l.mu.Lock()
	defer l.mu.Unlock()
	next := l.next[hash]
	delete(l.next, hash)
	if next == nil {
		delete(l.running, hash)
		return
	}
	l.running[hash] = next
	go l.run(context.WithoutCancel(ctx), hash, next)
}
