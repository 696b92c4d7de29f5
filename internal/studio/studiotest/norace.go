//go:build !race

package studiotest

// Stride is how many cases there are to one that is painted: all are.
const Stride = 1
