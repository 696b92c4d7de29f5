package admission

import (
	"context"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
)

// FreeMemory is what a request may use without a Reservation.
const FreeMemory = 256 << 10

// memoryWait is how long a request waits for memory.
const memoryWait = 10 * time.Second

// Memory is an amount of memory that requests share. A request that does not fit waits for
// its turn: the account that would then hold least is next, so that accounts that send
// much do not delay those that send little. No account may hold more than its share.
//
// A request reserves memory for its body first and for the decoded values then, from two
// amounts. Requests that hold the second wait for nothing, so no request waits for ever.
type Memory struct {
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

// NewMemory makes an amount of which each account may hold a share.
func NewMemory(size, share int64) *Memory {
	return &Memory{size: size, share: min(share, size), held: map[string]int64{}}
}

// Acquire reserves memory for an account, and waits for it if it must.
func (m *Memory) Acquire(ctx context.Context, owner string, bytes int64) error {
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

// AcquireNow reserves memory for an account if it is free and no waiting request is before
// it.
func (m *Memory) AcquireNow(owner string, bytes int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := m.nextWaiter()
	if !m.fits(owner, bytes) || next != nil && m.held[next.owner]+next.bytes <= m.held[owner]+bytes {
		return errMemory()
	}
	m.assign(owner, bytes)
	return nil
}

// Release gives back memory of an account.
func (m *Memory) Release(owner string, bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used -= bytes
	if m.held[owner] -= bytes; m.held[owner] == 0 {
		delete(m.held, owner)
	}
	m.grant()
}

// Used is how much is held now.
func (m *Memory) Used() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used
}

func (m *Memory) fits(owner string, bytes int64) bool {
	return m.used+bytes <= m.size && m.held[owner]+bytes <= m.share
}

func (m *Memory) assign(owner string, bytes int64) {
	m.used += bytes
	m.held[owner] += bytes
}

// nextWaiter is the waiting request whose turn it is: the first of those whose accounts
// would hold least. An account that has its share is skipped.
func (m *Memory) nextWaiter() (next *memoryWaiter) {
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
func (m *Memory) grant() {
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

func (m *Memory) forget(w *memoryWaiter) {
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

// Reservation is the shared memory that one request holds.
type Reservation struct {
	Of    *Memory
	Owner string
	held  int64
}

// Held is how much it holds.
func (r *Reservation) Held() int64 { return r.held }

// Reserve reserves memory for a body before it is read, and waits for it.
func (r *Reservation) Reserve(ctx context.Context, bytes int64) error {
	if bytes <= FreeMemory {
		return nil
	}
	if err := r.Of.Acquire(ctx, r.Owner, bytes); err != nil {
		return err
	}
	r.held += bytes
	return nil
}

// Extend reserves more memory for a body that costs more than expected. It does not wait:
// requests that hold memory and wait for more would block each other.
func (r *Reservation) Extend(bytes int64) error {
	more := bytes - r.held
	if bytes <= FreeMemory || more <= 0 {
		return nil
	}
	if err := r.Of.AcquireNow(r.Owner, more); err != nil {
		return err
	}
	r.held = bytes
	return nil
}

// Release gives back all that it holds.
func (r *Reservation) Release() {
	if r.held > 0 {
		r.Of.Release(r.Owner, r.held)
		r.held = 0
	}
}
