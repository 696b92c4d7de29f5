// Package audio holds the tools that make recordings: songs (internal/studio/song)
// and speech (internal/studio/voice).
//
//atelier:sequential
package audio
