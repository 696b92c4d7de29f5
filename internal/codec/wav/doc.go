// Package wav reads and writes RIFF WAVE files.
//
// Write takes a recording of 16 bits and writes it in one of the depths; Read
// takes any file of integers of 8 to 32 bits or floats of 32 or 64 and gives 16
// bits. ReadBlocks gives them as they arrive, for callers that keep none.
//
// # Invariants
//
//   - The same recording makes the same bytes.
//   - Read never panics, and its memory grows with what really arrives, up to
//     what the caller allows, never with the sizes that a header claims.
//
//atelier:sequential
package wav
