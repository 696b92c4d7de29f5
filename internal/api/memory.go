package api

import (
	"context"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
)

// How much memory requests may hold.
const (
	freeMemory  = 256 << 10 // a smaller request does not wait
	bodyMemory  = 512 << 20 // the bodies of all others
	valueMemory = 256 << 20 // the values decoded from them
	memoryWait  = 10 * time.Second
)

// memory is an amount of memory that requests share. A request that does not fit waits for
// its turn: the account that would then hold least is next, so that accounts that send
// much do not delay those that send little. No account may hold more than its share.
//
// A request reserves memory for its body first and for the decoded values then, from two
// amounts. Requests that hold the second wait for nothing, so no request waits for ever.
type memory struct {
	size  int64
	share int64 // the most that one account may hold

	mu      sync.Mutex
	used    int64
	held    map[string]int64 // by account
	waiting []*memoryWaiter  // in the order of arrival
}

type memoryWaiter struct {
	owner   string
	bytes   int64
	granted chan struct{} // closed with the lock held
}

func newMemory(size, share int64) *memory {
	return &memory{size: size, share: min(share, size), held: map[string]int64{}}
}

// acquire reserves memory for an account, and waits for it if it must.
func (m *memory) acquire(ctx context.Context, owner string, bytes int64) error {
	m.mu.Lock()
	if len(m.waiting) == 0 && m.fits(owner, bytes) {
		m.assign(owner, bytes)
		m.mu.Unlock()
		return nil
	}
	w := &memoryWaiter{owner: owner, bytes: bytes, granted: make(chan struct{})}
	m.waiting = append(m.waiting, w)
	m.grant() // the waiting requests may wait for other accounts than this one
	m.mu.Unlock()

	ctx, cancel := context.WithTimeout(ctx, memoryWait)
	defer cancel()
	select {
	case <-w.granted:
		return nil
	case <-ctx.Done():
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-w.granted: // in the meantime
		return nil
	default:
	}
	m.forget(w)
	m.grant() // the ones behind it may fit
	return errMemory()
}

// acquireNow reserves memory for an account if it is free and no waiting request is before
// it.
func (m *memory) acquireNow(owner string, bytes int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := m.nextWaiter()
	if !m.fits(owner, bytes) || next != nil && m.held[next.owner]+next.bytes <= m.held[owner]+bytes {
		return errMemory()
	}
	m.assign(owner, bytes)
	return nil
}

func (m *memory) release(owner string, bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used -= bytes
	if m.held[owner] -= bytes; m.held[owner] == 0 {
		delete(m.held, owner)
	}
	m.grant()
}

func (m *memory) fits(owner string, bytes int64) bool {
	return m.used+bytes <= m.size && m.held[owner]+bytes <= m.share
}

func (m *memory) assign(owner string, bytes int64) {
	m.used += bytes
	m.held[owner] += bytes
}

// nextWaiter is the waiting request whose turn it is: the first of those whose accounts
// would hold least. An account that has its share is skipped.
func (m *memory) nextWaiter() (next *memoryWaiter) {
	for _, w := range m.waiting {
		after := m.held[w.owner] + w.bytes
		if after <= m.share && (next == nil || after < m.held[next.owner]+next.bytes) {
			next = w
		}
	}
	return next
}

// grant gives memory to waiting requests, as far as it goes. The next one waits until it
// fits; only requests whose account holds less may pass it.
func (m *memory) grant() {
	for {
		next := m.nextWaiter()
		if next == nil || !m.fits(next.owner, next.bytes) {
			return
		}
		m.assign(next.owner, next.bytes)
		m.forget(next)
		close(next.granted)
	}
}

func (m *memory) forget(w *memoryWaiter) {
	for i, other := range m.waiting {
		if other == w {
			m.waiting = append(m.waiting[:i], m.waiting[i+1:]...)
			return
		}
	}
}

func errMemory() error {
	busy := atelier.Errorf(atelier.CodeUnavailable, "The service has too many large requests in memory. Try again in a moment.")
	busy.RetryAfter = 2 * time.Second
	return busy.With("retryAfterSeconds", 2)
}

// reservation is the shared memory that one request holds.
type reservation struct {
	of    *memory
	owner string
	held  int64
}

// reserve reserves memory for a body before it is read, and waits for it.
func (r *reservation) reserve(ctx context.Context, bytes int64) error {
	if bytes <= freeMemory {
		return nil
	}
	if err := r.of.acquire(ctx, r.owner, bytes); err != nil {
		return err
	}
	r.held += bytes
	return nil
}

// extend reserves more memory for a body that costs more than expected. It does not wait:
// requests that hold memory and wait for more would block each other.
func (r *reservation) extend(bytes int64) error {
	more := bytes - r.held
	if bytes <= freeMemory || more <= 0 {
		return nil
	}
	if err := r.of.acquireNow(r.owner, more); err != nil {
		return err
	}
	r.held = bytes
	return nil
}

func (r *reservation) release() {
	if r.held > 0 {
		r.of.release(r.owner, r.held)
		r.held = 0
	}
}
