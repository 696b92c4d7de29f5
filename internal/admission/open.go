package admission

import (
	"math"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
)

// Open limits how many long requests are open at once: event streams and completions. A rate limit alone would let them
// accumulate. An account has its limit, and no more of three quarters of the capacity than is free of them. The last
// quarter is for accounts with few open, so that at least 16 newcomers find as many as that beside others who have
// opened all they can.
type Open struct {
	what            string // is limited, for messages
	limit, capacity int
	reserve, few    int // places for accounts with fewer than a few open
	mu              sync.Mutex
	all             int
	byAccount       map[atelier.Wallet]int
}

// Count is how many are open.
func (o *Open) Count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all
}

// NewOpen makes a limit for each account and a capacity for all; zero allows any number. It has a name for what it
// limits, such as event streams.
func NewOpen(what string, limit, capacity int) *Open {
	return &Open{
		what: what, limit: limit, capacity: capacity, reserve: capacity / 4, few: min(mostFew, max(1, capacity/64)), byAccount: map[atelier.Wallet]int{},
	}
}

// mostFew is how many of the reserve an account may have at most.
const mostFew = 16

// streamRetry is how long callers should wait: when a stream ends is not known.
const streamRetry = 5 * time.Second

// Enter counts one more, until Leave.
func (o *Open) Enter(w atelier.Wallet) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := o.byAccount[w]
	switch free := o.capacity - o.all; {
	case o.limit > 0 && n >= o.limit:
		return tooManyOpen(n, o.limit, "%d %s of this account are open; the limit is %d. Close one, or wait for one to end.", n, o.what, o.limit)
	case o.capacity > 0 && (free <= 0 || n >= o.few && n >= free-o.reserve):
		return tooManyOpen(n, n, "%d %s of this account are open, and this node has too few places left for more. Close one, or wait for one to end.", n, o.what)
	}
	o.byAccount[w] = n + 1
	o.all++
	return nil
}

func tooManyOpen(n, limit int, format string, args ...any) error {
	e := atelier.Errorf(atelier.CodeStreamLimit, format, args...)
	e.RetryAfter = streamRetry
	return e.With("openStreamCount", n).With("openStreamLimit", limit).With("retryAfterSeconds", int(math.Ceil(e.RetryAfter.Seconds())))
}

// Leave ends what Enter began.
func (o *Open) Leave(w atelier.Wallet) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all--
	if o.byAccount[w]--; o.byAccount[w] == 0 {
		delete(o.byAccount, w)
	}
}
