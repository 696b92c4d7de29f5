// Package footage works on the frames and the sound of existing clips: it fits,
// scales, denoises and sharpens frames, finds their edges, transfers tones,
// fills holes, extends borders, and mixes sounds.
//
//	Cover, Letterbox       a picture or a clip in a frame of another aspect ratio
//	Scaler, PlaneScaler    frames of another size, in RGB and in the codec's colours
//	TemporalDenoiser       noise averaged over time
//	Sharpener              sharpening without halos
//	EdgeDetector, ToneMap  edges, and the colours of another picture
//	Inpainter, Outpainter  the inside of a hole, and the outside of a frame
//	Mixer                  sounds in one 16-bit mix
//	Splice, EdgeFrames     a clip inside another one, and the frames beside it
//
// # Invariants
//
//   - The same frames and sounds give the same bytes, on any number of processors:
//     rows are worked on independently.
//   - A type that works on frame after frame allocates its buffers once.
//
// # Neighbours
//
// film, pixel and sound below; motion and the worker's cpu renderer above.
package footage
