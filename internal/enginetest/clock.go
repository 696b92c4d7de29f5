package enginetest

import (
	"sync"
	"time"
)

// Clock is a time that tests move ahead. It runs like any other until it is
// frozen.
type Clock struct {
	mu     sync.Mutex
	frozen time.Time
	offset time.Duration
	step   time.Duration // that each reading moves it
}

// Now is the time in whole milliseconds, as the database keeps it.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if !c.frozen.IsZero() {
		now = c.frozen
	}
	c.offset += c.step
	return now.Add(c.offset).UTC().Truncate(time.Millisecond)
}

// Freeze stops the clock: then only Advance moves it, however long a test takes.
func (c *Clock) Freeze() { c.FreezeAt(c.Now()) }

// FreezeAt stops the clock at a time.
func (c *Clock) FreezeAt(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frozen, c.offset, c.step = t, 0, 0
}

// StepFrom stops the clock at a time, and each reading is a millisecond after the one
// before: what happens later has a later time, however long a test takes.
func (c *Clock) StepFrom(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frozen, c.offset, c.step = t, 0, time.Millisecond
}

// Start is when the clocks of tests begin: now, or with the next UTC day if that is near. What is
// counted by day or month is then counted in one, whenever a test runs.
func Start() time.Time {
	const near = 10 * time.Minute // of a clock that moves when it is read: no test reads it so often
	now := time.Now().UTC()
	if next := now.Truncate(24 * time.Hour).Add(24 * time.Hour); next.Sub(now) < near {
		return next
	}
	return now
}

// Advance moves the clock ahead.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += d
}
