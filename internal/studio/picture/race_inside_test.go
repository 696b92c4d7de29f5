//go:build race

package picture

// The race detector sees enough in a few of the words.
func init() { paintEvery = 25 }
