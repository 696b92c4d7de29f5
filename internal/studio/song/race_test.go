//go:build race

package song_test

// The race detector makes playing several times slower and needs few songs.
func init() { stride = 4 }
