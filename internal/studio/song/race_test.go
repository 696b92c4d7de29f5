//go:build race

package song_test

// One case of each kind shows what the race detector can see; the others are
// played without it.
func init() { stride = 100 }
