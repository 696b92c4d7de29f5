//go:build race

package run_test

// One death of each kind shows what the race detector can see; all are run without it.
func init() { thin = true }
