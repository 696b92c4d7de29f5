//go:build race

package cpu_test

// What the race detector can see, it sees with our own engine and in one case of
// each kind; the others run without it.
func init() { brief = true }
