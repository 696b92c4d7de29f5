package admission

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atelier-project/atelier"
)

// blockFor is how long a subject that continues after refusals is blocked.
const blockFor = 5 * time.Minute

// Rate is one rate limit: a bucket for each subject that holds a minute's
// worth and refills evenly.
type Rate struct {
	perMinute int
	blocks    bool        // whether clients that continue are blocked
	used      atomic.Bool // whether it has any bucket

	mu      sync.Mutex
	buckets map[string]*bucket
	swept   time.Time
}

type bucket struct {
	Bucket
	seen    time.Time
	refused int       // since it last had a token
	blocked time.Time // until when it is blocked
}

// NewRate makes a rate limit. With blocks, clients that continue after perMinute refusals
// are refused for some time.
func NewRate(perMinute int, blocks bool) *Rate {
	return &Rate{perMinute: perMinute, blocks: blocks, buckets: map[string]*bucket{}}
}

// Take counts one request of a subject, and refuses it when the bucket is empty.
func (l *Rate) Take(subject string, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.bucket(subject, now)
	if now.Before(b.blocked) {
		return TooMany(b.blocked.Sub(now))
	}
	wait := l.take(b, now, 1)
	if wait == 0 {
		b.refused = 0
		return nil
	}
	if b.refused++; l.blocks && b.refused > l.perMinute {
		b.blocked, b.refused = now.Add(blockFor), 0
		return TooMany(blockFor)
	}
	return TooMany(wait)
}

// TakeOf is Take for a subject with a separate rate, which is never blocked.
func (l *Rate) TakeOf(subject string, now time.Time, perMinute int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if wait := l.bucket(subject, now).Take(now, float64(perMinute)/60, float64(perMinute), 1); wait > 0 {
		return TooMany(wait)
	}
	return nil
}

// take takes tokens of a bucket, or returns how long to wait for them.
func (l *Rate) take(b *bucket, now time.Time, n int) time.Duration {
	return b.Take(now, float64(l.perMinute)/60, float64(l.perMinute), float64(n))
}

// TakeMore counts an accepted request as several. More than a minute's worth empties the
// bucket.
func (l *Rate) TakeMore(subject string, now time.Time, more int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.bucket(subject, now)
	if wait := l.take(b, now, min(more, l.perMinute-1)); wait > 0 {
		return TooMany(wait)
	}
	return nil
}

// InUse reports whether any subject has a bucket.
func (l *Rate) InUse() bool { return l.used.Load() }

// Check refuses a subject without a token, and takes none.
func (l *Rate) Check(subject string, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.swept) > time.Minute {
		l.sweep(now)
	}
	b, ok := l.buckets[subject]
	if !ok {
		return nil
	}
	if wait := l.take(b, now, 1); wait > 0 {
		return TooMany(wait)
	}
	b.Add(-1)
	return nil
}

// GiveBack returns the token of a request that does not count.
func (l *Rate) GiveBack(subject string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b, ok := l.buckets[subject]; ok {
		b.Add(-1)
	}
}

func (l *Rate) bucket(subject string, now time.Time) *bucket {
	if now.Sub(l.swept) > time.Minute {
		l.sweep(now)
	}
	b, ok := l.buckets[subject]
	if !ok {
		b = &bucket{}
		l.buckets[subject] = b
		l.used.Store(true)
	}
	b.seen = now
	return b
}

// sweep removes the buckets that are full again, so that memory follows the subjects of
// the last minute.
func (l *Rate) sweep(now time.Time) {
	for subject, b := range l.buckets {
		if now.Sub(b.seen) > time.Minute && now.After(b.blocked) {
			delete(l.buckets, subject)
		}
	}
	l.swept = now
	l.used.Store(len(l.buckets) > 0)
}

// TooMany is the error for a request that has to wait.
func TooMany(wait time.Duration) error {
	return TooManyOf(wait, "Too many requests: try again in %d s.", int(math.Ceil(wait.Seconds())))
}

// TooManyOf is TooMany with a given message.
func TooManyOf(wait time.Duration, format string, args ...any) *atelier.Error {
	e := atelier.Errorf(atelier.CodeRateLimited, format, args...)
	e.RetryAfter = wait
	return e.With("retryAfterSeconds", int(math.Ceil(wait.Seconds())))
}
