// Package chance has the choices and the noise that pictures are made with: dice
// rolled from a seed and a name, and fractal noise of the plane.
//
// # Invariants
//
//   - The same seed and name give the same choices, and the same place the same
//     noise, on every machine: no clock and no global state.
package chance
