package media

import (
	"math"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/admission"
)

// allowances limits what each account uploads on this node: how many uploads at the
// same time, how many a minute, and how many pixels a minute are decoded for it.
type allowances struct {
	postsAMinute  int
	pixelsAMinute int64

	mu       sync.Mutex
	accounts map[string]*allowance
	swept    time.Time
	inflight int64 // bytes that uploads in progress may still send
}

// uploadsAtOnce is how many uploads of one account run at the same time.
const uploadsAtOnce = 16

type allowance struct {
	open   int
	posts  admission.Bucket
	pixels admission.Bucket
	seen   time.Time

	// An upload of tooLarge bytes did not fit into the rest of the day's quota. One
	// as large is refused before it is read, until the day ends.
	tooLarge int64
	until    time.Time
}

// take takes tokens of a minute if any are left, also more than are left, so that a picture
// larger than the bucket is decoded too. Otherwise it returns how long to wait.
func take(b *admission.Bucket, n, perMinute float64, now time.Time) (wait time.Duration) {
	if over := b.Taken(now, perMinute/60) - perMinute; over >= 0 {
		return max(time.Second, time.Duration(over/perMinute*float64(time.Minute)))
	}
	b.Add(n)
	return 0
}

// forAccount returns the allowance of an account, and removes those that are full
// again.
func (a *allowances) forAccount(account string, now time.Time) *allowance {
	if now.Sub(a.swept) > time.Minute {
		a.swept = now
		for name, other := range a.accounts {
			if other.open == 0 && now.Sub(other.seen) > 2*time.Minute && now.After(other.until) {
				delete(a.accounts, name)
			}
		}
	}
	if a.accounts == nil {
		a.accounts = map[string]*allowance{}
	}
	one := a.accounts[account]
	if one == nil {
		one = &allowance{}
		a.accounts[account] = one
	}
	one.seen = now
	return one
}

// begin counts an upload of at most size bytes, or refuses it.
func (a *allowances) begin(account string, size int64, now time.Time) (release func(), err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	one := a.forAccount(account, now)
	if one.open >= uploadsAtOnce {
		return nil, tooMany(time.Second, "%d uploads of this account are in progress, which is the limit.", one.open)
	}
	if size >= one.tooLarge && now.Before(one.until) {
		return nil, errUsedUp(one.until.Sub(now))
	}
	if wait := take(&one.posts, 1, float64(a.postsAMinute), now); wait > 0 {
		return nil, tooMany(wait, "This account uploads too often.")
	}
	one.open++
	a.inflight += size
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		one.open--
		a.inflight -= size
	}, nil
}

// decode counts pixels that are about to be decoded for an account.
func (a *allowances) decode(account string, pixels int64, now time.Time) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if wait := take(&a.forAccount(account, now).pixels, float64(pixels), float64(a.pixelsAMinute), now); wait > 0 {
		return tooMany(wait, "This account has reached its limit of megapixels per minute.")
	}
	return nil
}

// refuseFrom makes later uploads of an account fail early when they are at least as
// large as one that did not fit into the day's quota.
func (a *allowances) refuseFrom(account string, size int64, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	one := a.forAccount(account, now)
	if now.After(one.until) || size < one.tooLarge {
		one.tooLarge, one.until = size, now.Add(untilMidnight(now))
	}
}

// expected is how many bytes uploads in progress may still send.
func (a *allowances) expected() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.inflight
}

func tooMany(wait time.Duration, format string, args ...any) *atelier.Error {
	e := admission.TooManyOf(wait, format, args...)
	e.Message += " Try again " + within(int(math.Ceil(wait.Seconds())))
	return e
}
