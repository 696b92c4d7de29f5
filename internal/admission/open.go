package admission

import (
	"math"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
)

// Open limits how many long requests an account has open at once: event streams and
// completions. A rate limit alone would let them accumulate.
type Open struct {
	limit     int
	mu        sync.Mutex
	byAccount map[atelier.Wallet]int
}

// Count is how many are open.
func (o *Open) Count() (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, open := range o.byAccount {
		n += open
	}
	return n
}

// NewOpen makes a limit; zero allows any number.
func NewOpen(limit int) *Open { return &Open{limit: limit, byAccount: map[atelier.Wallet]int{}} }

// streamRetry is how long callers should wait: when a stream ends is not known.
const streamRetry = 5 * time.Second

// Enter counts one more, until Leave.
func (o *Open) Enter(w atelier.Wallet) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := o.byAccount[w]
	if o.limit > 0 && n >= o.limit {
		e := atelier.Errorf(atelier.CodeStreamLimit, "%d event streams and completions of this account are open; the limit is %d. Close one, or wait for one to end.", n, o.limit)
		e.RetryAfter = streamRetry
		return e.With("openStreamCount", n).With("openStreamLimit", o.limit).With("retryAfterSeconds", int(math.Ceil(e.RetryAfter.Seconds())))
	}
	o.byAccount[w] = n + 1
	return nil
}

// Leave ends what Enter began.
func (o *Open) Leave(w atelier.Wallet) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.byAccount[w]--; o.byAccount[w] == 0 {
		delete(o.byAccount, w)
	}
}
