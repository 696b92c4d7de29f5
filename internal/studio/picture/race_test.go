//go:build race

package picture_test

// One case of each kind shows what the race detector can see; it makes painting
// ten times slower, and the others are painted without it.
func init() { stride = 100 }
