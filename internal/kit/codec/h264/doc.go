// Package h264 is a small H.264 encoder, and a decoder for what it writes, in
// plain Go: frames become a stream that every browser plays, on a machine that
// has no ffmpeg.
//
// The stream is Constrained Baseline (ITU-T H.264, annex A.2.1.1): 4:2:0,
// 8 bits, progressive, CAVLC, one reference picture, in-loop deblocking. What
// the encoder chooses from is
//
//   - I_NxN with the nine 4x4 predictions and I_16x16 with its four (8.3),
//   - P_Skip and P_L0_16x16 with quarter-sample motion (8.4),
//   - the 4x4 transform with its DC transforms (8.5), a little finer where the picture
//     is calm,
//   - the deblocking filter across every edge (8.7),
//   - CAVLC residuals (9.2).
//
// A picture is cut into slices of whole macroblock rows. Their number depends
// on the height of the picture alone, never on the number of processors, so
// the same frames always become the same bytes; slices are coded in parallel.
//
// # Invariants
//
//   - The encoder's reconstruction is the decoder's output, bit for bit:
//     both run the same prediction, transform and filter code.
//   - Encoding is deterministic. No clock, no random numbers, no floats whose
//     value could reach the stream from more than one machine.
//   - The decoder never panics and never allocates more than the size that it
//     was told to accept, whatever the bytes are. It passes over each byte of a
//     sample a fixed number of times, and ends with its context.
//   - A panic on a goroutine of this package is an error of the call (PanicError).
//   - Samples are BT.709 in limited range, and the stream says so (annex E).
//
// # What is not here
//
// B pictures, CABAC, interlace, several reference pictures, smaller
// partitions, scaling matrices, arbitrary slice order. The decoder refuses
// them by name; a clip from elsewhere needs ffmpeg.
//
// # Neighbours
//
// mp4 puts the frames into a file. film joins the two and decides between
// this package and ffmpeg.
//
//atelier:renderer
package h264
