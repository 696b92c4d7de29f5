// Package chance has the random numbers and the noise that pictures are made
// with: generators seeded by a number and a name, and fractal noise of the
// plane.
//
// # Invariants
//
//   - The same seed and name give the same choices, and the same place the same
//     noise, on every machine: no clock and no global state.
//
//atelier:sequential
package chance
