// Package flac reads and writes FLAC (RFC 9639), as files and as the frames that
// containers hold.
//
// An Encoder turns interleaved samples of 16 bits, in one or two channels, into
// frames with the fixed predictors and Rice codes. A Decoder reads frames of
// any encoder, of up to 24 bits and eight channels; a Reader and ReadBlocks read a
// whole file frame by frame, without seeking. Write and Read are for files that fit in
// memory.
//
// # Invariants
//
//   - Encoding is deterministic: the same samples make the same bytes.
//   - Decoding never panics, and its memory grows with what really arrives, up to
//     what the caller allows, never with the sizes that a header claims.
//
//atelier:sequential
package flac
