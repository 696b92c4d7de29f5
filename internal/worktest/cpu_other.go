//go:build !linux

package worktest

import "time"

// CPUTime is how long a function takes: only Linux says how long a processor works
// on it.
func CPUTime(run func()) time.Duration {
	began := time.Now()
	run()
	return time.Since(began)
}
