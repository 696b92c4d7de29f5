package api

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atelier-project/atelier"
	"golang.org/x/time/rate"
)

// limitClass names a rate limit. Routes of one class share it.
type limitClass int

const (
	unlimited       limitClass = iota
	publicReads                // per client address
	accountReads               // per account
	llmRequests                // per account
	mediaURLs                  // per account
	workflowStarts             // per account
	runStarts                  // per account
	toolExecutions             // per account
	templateChanges            // per account
	confirms                   // per account
	loraReads                  // per account
	loraImports                // per account
	workerConnects             // per account
	authFailures               // per client address: credentials that were refused
	limitClasses
)

// Limits are the rate limits, per minute.
type Limits struct {
	PublicReads     int
	AccountReads    int
	LLMRequests     int
	MediaURLs       int
	WorkflowStarts  int
	RunStarts       int
	ToolExecutions  int
	TemplateChanges int
	Confirms        int
	LoraReads       int
	LoraImports     int
	WorkerConnects  int
	AuthFailures    int
}

func (l Limits) perMinute(c limitClass) int {
	switch c {
	case publicReads:
		return l.PublicReads
	case accountReads:
		return l.AccountReads
	case llmRequests:
		return l.LLMRequests
	case mediaURLs:
		return l.MediaURLs
	case toolExecutions:
		return l.ToolExecutions
	case templateChanges:
		return l.TemplateChanges
	case workflowStarts:
		return l.WorkflowStarts
	case runStarts:
		return l.RunStarts
	case confirms:
		return l.Confirms
	case loraReads:
		return l.LoraReads
	case loraImports:
		return l.LoraImports
	case workerConnects:
		return l.WorkerConnects
	case authFailures:
		return l.AuthFailures
	}
	return 0
}

// blockFor is how long a client that continues after a 429 is refused all public reads.
const blockFor = 5 * time.Minute

// limiter is one rate limit: a bucket for each subject that holds a minute's
// worth and refills evenly.
type limiter struct {
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

func newLimiter(perMinute int, blocks bool) *limiter {
	return &limiter{perMinute: perMinute, blocks: blocks, buckets: map[string]*bucket{}}
}

// take counts one request of a subject, and refuses it when the bucket is empty.
func (l *limiter) take(subject string, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.bucket(subject, now)
	if now.Before(b.blocked) {
		return tooMany(b.blocked.Sub(now))
	}
	if b.rate.AllowN(now, 1) {
		b.refused = 0
		return nil
	}
	if b.refused++; l.blocks && b.refused > l.perMinute {
		b.blocked, b.refused = now.Add(blockFor), 0
		return tooMany(blockFor)
	}
	return tooMany(l.wait(b, now))
}

// takeMore counts an accepted request as several. More than a minute's worth empties the
// bucket.
func (l *limiter) takeMore(subject string, now time.Time, more int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.bucket(subject, now)
	more = min(more, l.perMinute-1)
	if b.rate.AllowN(now, more) {
		return nil
	}
	return tooMany(l.waitFor(b, now, more))
}

// checkToken refuses a subject without a token, and takes none.
func (l *limiter) checkToken(subject string, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.swept) > time.Minute {
		l.sweep(now)
	}
	b, ok := l.buckets[subject]
	if !ok || b.rate.TokensAt(now) >= 1 {
		return nil
	}
	return tooMany(l.wait(b, now))
}

// giveBack returns the token of a request that does not count.
func (l *limiter) giveBack(subject string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b, ok := l.buckets[subject]; ok && b.rate.TokensAt(now) < float64(l.perMinute) {
		b.rate.AllowN(now, -1)
	}
}

// wait is how long until a bucket has a token.
func (l *limiter) wait(b *bucket, now time.Time) time.Duration { return l.waitFor(b, now, 1) }

func (l *limiter) waitFor(b *bucket, now time.Time, many int) time.Duration {
	missing := float64(many) - b.rate.TokensAt(now)
	return time.Duration(math.Ceil(missing*60/float64(l.perMinute)*1e3)) * time.Millisecond
}

func (l *limiter) bucket(subject string, now time.Time) *bucket {
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
func (l *limiter) sweep(now time.Time) {
	for subject, b := range l.buckets {
		if now.Sub(b.seen) > time.Minute && now.After(b.blocked) {
			delete(l.buckets, subject)
		}
	}
	l.swept = now
	l.used.Store(len(l.buckets) > 0)
}

func tooMany(wait time.Duration) error {
	e := atelier.Errorf(atelier.CodeRateLimited, "Too many requests: try again in %d s.", int(math.Ceil(wait.Seconds())))
	e.RetryAfter = wait
	return e.With("retryAfterSeconds", int(math.Ceil(wait.Seconds())))
}

// openCount limits how many long requests an account has open at once: event streams and
// completions. A rate limit alone would let them accumulate.
type openCount struct {
	limit     int
	mu        sync.Mutex
	byAccount map[atelier.Wallet]int
}

// streamRetry is how long callers should wait: when a stream ends is not known.
const streamRetry = 5 * time.Second

// enter counts one more, until leave.
func (o *openCount) enter(w atelier.Wallet) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := o.byAccount[w]
	if o.limit > 0 && n >= o.limit {
		e := atelier.Errorf(atelier.CodeStreamLimit, "%d event streams and completions of this account are open; the limit is %d. Close one, or wait for one to end.", n, o.limit)
		e.RetryAfter = streamRetry
		return e.With("openStreamCount", n).With("openStreamLimit", o.limit).With("retryAfterSeconds", seconds(e))
	}
	o.byAccount[w] = n + 1
	return nil
}

func (o *openCount) leave(w atelier.Wallet) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.byAccount[w]--; o.byAccount[w] == 0 {
		delete(o.byAccount, w)
	}
}
