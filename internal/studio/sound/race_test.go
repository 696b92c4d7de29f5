//go:build race

package sound_test

// One goroutine makes a surrounding: the race detector has nothing to find in it, and
// makes it much slower. All are made without it.
func init() { ambiences = ambiences[:1] }
