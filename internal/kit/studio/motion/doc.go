// Package motion makes the frames of a clip from one or a few pictures, with
// classical algorithms.
//
//	Camera, Slideshow         a camera that moves over pictures
//	Effect, Particles         wind, water, light, rain, snow, sparks
//	Flow, Morph               optical flow between two pictures, and a morph along it
//	WarpGrid, Sprite          warping a picture; a cut-out subject that moves
//	Solid, Turntable          a textured mesh of the subject, seen from any side
//	Choreography, DanceScene  the steps of dances, and a figure that dances them
//	AudioPulse                movement that follows the loudness of sound
//	Transitions               from one clip to the next
//
// # Invariants
//
//   - The same pictures, words and seed make the same frames, byte for byte, on
//     any number of processors.
//   - A frame depends on its time alone where it can, so that clips can be made from
//     any frame on.
//
// # Neighbours
//
// footage, pixel, paint and sound below; the worker's cpu renderer above. Nothing
// here knows about jobs.
package motion
