// Package sound is shared by everything that makes or measures audio: clips and
// their files, oscillators, filters, effects, dynamics, and the few
// measurements (loudness, peaks, onsets, pitch) that other packages need.
//
// A finished recording is a Clip: interleaved 16-bit samples, because that is
// what is written and played, and because ten minutes of stereo then cost 106
// MB rather than twice that. While a clip is made, it is []float32 planes, one
// per channel, in blocks.
//
// # Neighbours
//
// Packages song and voice make clips with it; packages that write video use a
// clip's Loudness and Onsets. Nothing here knows what a note or a word
// is.
//
// # Invariants
//
//   - Everything is deterministic: noise comes from a seeded Noise, and no
//     clock or map order reaches a sample.
//   - Processors keep their state between blocks, so a plane cut into blocks
//     of any size gives the same result.
//   - The formats are those of internal/codec/wav and internal/codec/flac. MP3
//     needs ffmpeg on the PATH and says so when it is missing.
//
//atelier:renderer
package sound
