// Package cpu renders without a GPU and without a network: pictures, clips,
// songs, speech and meshes made by the studio, by honest classical means. What
// it makes is deterministic in the tool, the model, the arguments, the inputs
// and the seed.
//
// What it cannot do it says, in the words of the job's failure; it never
// returns its input as a result.
package cpu
