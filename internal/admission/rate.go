package admission

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atelier-project/atelier"
	"golang.org/x/time/rate"
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
	rate    *rate.Limiter
	seen    time.Time
	refused int       // since it last had a token
	blocked time.Time // until when it is blocked
}

// NewRate makes a rate limit. With blocks, clients that continue after so many refusals
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
	if b.rate.AllowN(now, 1) {
		b.refused = 0
		return nil
	}
	if b.refused++; l.blocks && b.refused > l.perMinute {
		b.blocked, b.refused = now.Add(blockFor), 0
		return TooMany(blockFor)
	}
	return TooMany(l.wait(b, now))
}

// TakeMore counts an accepted request as several. More than a minute's worth empties the
// bucket.
func (l *Rate) TakeMore(subject string, now time.Time, more int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.bucket(subject, now)
	more = min(more, l.perMinute-1)
	if b.rate.AllowN(now, more) {
		return nil
	}
	return TooMany(l.waitFor(b, now, more))
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
	if !ok || b.rate.TokensAt(now) >= 1 {
		return nil
	}
	return TooMany(l.wait(b, now))
}

// GiveBack returns the token of a request that does not count.
func (l *Rate) GiveBack(subject string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b, ok := l.buckets[subject]; ok && b.rate.TokensAt(now) < float64(l.perMinute) {
		b.rate.AllowN(now, -1)
	}
}

// wait is how long until a bucket has a token.
func (l *Rate) wait(b *bucket, now time.Time) time.Duration { return l.waitFor(b, now, 1) }

func (l *Rate) waitFor(b *bucket, now time.Time, many int) time.Duration {
	missing := float64(many) - b.rate.TokensAt(now)
	return time.Duration(math.Ceil(missing*60/float64(l.perMinute)*1e3)) * time.Millisecond
}

func (l *Rate) bucket(subject string, now time.Time) *bucket {
	if now.Sub(l.swept) > time.Minute {
		l.sweep(now)
	}
	b, ok := l.buckets[subject]
	if !ok {
		b = &bucket{rate: rate.NewLimiter(rate.Limit(float64(l.perMinute)/60), l.perMinute)}
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
	e := atelier.Errorf(atelier.CodeRateLimited, "Too many requests: try again in %d s.", int(math.Ceil(wait.Seconds())))
	e.RetryAfter = wait
	return e.With("retryAfterSeconds", int(math.Ceil(wait.Seconds())))
}
