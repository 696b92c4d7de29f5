// Package probe reads the headers of a file: pictures, clips, recordings and
// models, with the texts and the camera data in them.
//
// Describe takes the path of a file and gives its Description, which is written as
// JSON as it is. The parsers read no pixels and no samples.
//
// # Invariants
//
//   - No file makes a parser panic. What is read and kept is bounded, whatever the
//     sizes are that a header claims.
//   - Everything is read through one window of the file, which ends with its
//     context, so that no loop over untrusted bytes outlives its job.
//   - Measure reads a stored object in a bounded number of requests.
//   - A file of a known kind that contradicts itself is an error that says so.
//
//atelier:sequential
package probe
