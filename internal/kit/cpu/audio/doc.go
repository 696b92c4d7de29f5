// Package audio holds the tools that make recordings: songs (internal/kit/studio/song)
// and speech (internal/kit/studio/voice).
//
//atelier:sequential
package audio
