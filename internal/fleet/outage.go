package fleet

import (
	"sync"
	"time"
)

// outage knows when the database was away. Leases and sessions that ran out
// meanwhile say nothing about their workers, which could not report: they are
// given a lease's time from the moment it is back.
type outage struct {
	mu    sync.Mutex
	away  bool
	until time.Time // no worker counts as silent before
}

// failed notes that the database did not answer.
func (o *outage) failed() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.away = true
}

// answered notes that it did, and returns how much longer workers have to
// report.
func (o *outage) answered(now time.Time, lease time.Duration) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.away {
		o.away, o.until = false, now.Add(lease)
	}
	return max(0, o.until.Sub(now))
}
