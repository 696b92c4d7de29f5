// Package motion makes the frames of a clip from one or a few pictures, with
// classical algorithms.
//
//	Camera, Journey    a camera that moves over pictures          camera.go, journey.go
//	Effect, Swarm      wind, water, light, rain and their like          effect.go, swarm.go
//	Flow, Morph        where things went between two pictures; one turning into the other
//	Lattice, Puppet    bending a picture; moving its subject as a figure
//	Solid              a relief of the subject, seen from around
//	Choreography       steps of dances                                  choreography.go
//	Pulse              movement that follows the loudness of sound      pulse.go
//	Transitions        one clip turning into the next                   transition.go
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
