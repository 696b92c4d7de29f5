//go:build race

package paint

// The race detector sees enough in a few of the words.
func init() { paintEvery = 25 }
