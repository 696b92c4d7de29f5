package admission

import (
	"math"
	"time"
)

// Bucket is a token bucket. Tokens that were taken come back at a steady rate. The zero
// Bucket is full. It is not safe for concurrent use.
type Bucket struct {
	taken float64
	at    time.Time
}

// Taken is how many tokens are taken and not back yet.
func (b *Bucket) Taken(now time.Time, perSecond float64) float64 {
	b.taken = max(0, b.taken-perSecond*max(0, now.Sub(b.at).Seconds()))
	b.at = now
	return b.taken
}

// Take takes n tokens of a bucket that holds most. When there are fewer it takes none, and
// returns how long to wait for them.
func (b *Bucket) Take(now time.Time, perSecond, most, n float64) (wait time.Duration) {
	if missing := b.Taken(now, perSecond) + n - most; missing > 0 {
		return time.Duration(math.Ceil(missing/perSecond*1e3)) * time.Millisecond
	}
	b.taken += n
	return 0
}

// Add takes n tokens, also more than there are; a negative n gives tokens back.
func (b *Bucket) Add(n float64) { b.taken = max(0, b.taken+n) }
