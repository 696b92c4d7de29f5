// Package cpu renders pictures, clips, songs, speech and meshes without a GPU and
// without a network, with the classical algorithms of internal/kit/studio. A result
// is determined by the tool, the model, the arguments, the inputs and the seed.
//
// Renderer finds the tool of a job in one table. The tools are adapters between a
// job and the studio, by what they make: packages picture, clip, audio and
// analysis; package task is the job they are given.
//
// A tool that cannot do what a job asks fails and says why. It never returns its
// input as a result.
//
//atelier:sequential
package cpu
