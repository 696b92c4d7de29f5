// Package task is what every tool of the CPU renderer works with: the arguments
// of a job, its input files and the artifacts it has to make.
//
// Tools (packages picture, clip, audio and analysis beside it) take a Task and
// return worker.Output. Only this package reads input files, so that the limits
// on sizes and lengths are checked in one place, before anything is decoded.
//
//atelier:sequential
package task
