//go:build race

package voice_test

// The race detector makes speaking twenty times slower.
func init() { longText /= 16 }
