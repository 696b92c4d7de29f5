// Package sound is the shared ground of everything that makes or hears audio:
// clips and their files, oscillators, filters, effects, dynamics, and the few
// measurements (loudness, peaks, onsets, pitch) that other rooms ask for.
//
// A finished recording is a Clip: interleaved 16-bit samples, because that is
// what is written and played, and because ten minutes of stereo then cost
// 106 MB rather than twice that. While something is being made it lives in
// plain []float32 planes, one per channel, in blocks.
//
// # Neighbours
//
// Rooms song and voice make clips with the parts of this room; rooms that
// write video ask a clip for its Loudness, Peaks and Onsets. Nothing here knows
// what a note or a word is.
//
// # Invariants
//
//   - Everything is deterministic: noise comes from a seeded Noise, and no
//     clock or map order reaches a sample.
//   - Processors keep their state between blocks, so a plane cut into blocks
//     of any size gives the same result.
//   - The formats are those of internal/codec/wav and internal/codec/flac. MP3
//     needs ffmpeg on the PATH and says so when it is missing.
package sound
