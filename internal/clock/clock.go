// Package clock has the one way in which loops of the service wait.
package clock

import (
	"context"
	"time"
)

// Sleep waits for d. It reports false when ctx ended first.
func Sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// Wait waits for d or until something comes from wake. It reports false when ctx ended
// first.
func Wait(ctx context.Context, wake <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-wake:
	case <-t.C:
	}
	return true
}

// Backoff is a pause that grows from First to Most: each is twice as long as the one before.
type Backoff struct {
	First, Most time.Duration
	last        time.Duration
}

// Next is the pause before the next attempt.
func (b *Backoff) Next() time.Duration {
	b.last = min(max(2*b.last, b.First), b.Most)
	return b.last
}

// Reset makes the next pause the first one, after a success.
func (b *Backoff) Reset() { b.last = 0 }
