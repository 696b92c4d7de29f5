//go:build race

package workflow_test

// A few cases show what the race detector can see; all are run without it.
func init() { thin = 24 }
