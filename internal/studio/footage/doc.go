// Package footage works on the frames and the sound of existing clips: it fits,
// scales, denoises and sharpens frames, finds their edges, transfers tones,
// fills holes, extends borders, and mixes sounds.
//
//	Fill, Mount        a picture or a clip in a frame of another shape     fit.go
//	Scaler             frames of another size; PlaneScaler as the codec has them
//	Calmer, Edger      noise averaged over time; sharpening without halos
//	Edges, Tones       outlines, and the colours of another picture
//	Healer, Surround   what is inside of a hole and outside of a frame
//	Desk               sounds on their way into one mix, of 16 bits
//
// # Invariants
//
//   - The same frames and sounds give the same bytes, on any number of processors:
//     rows are worked on independently.
//   - What works on frame after frame allocates its buffers once.
//
// # Neighbours
//
// film, pixel and sound below; motion and the worker's cpu renderer above.
package footage
