package fleet

import (
	"sync"
	"time"
)

// outage records when the database was unavailable. Leases and sessions that expired
// meanwhile say nothing about their workers, which could not report: they get one
// lease of time once the database is back.
type outage struct {
	mu    sync.Mutex
	away  bool
	until time.Time // no worker counts as silent before
}

// failed records that the database did not answer.
func (o *outage) failed() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.away = true
}

// answered records that the database answered, and returns how much longer workers
// have to report.
func (o *outage) answered(now time.Time, lease time.Duration) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.away {
		o.away, o.until = false, now.Add(lease)
	}
	return max(0, o.until.Sub(now))
}
