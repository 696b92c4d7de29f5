//go:build race

package studiotest

// Stride is how many cases there are to one that is painted. One case of each kind
// shows what the race detector can see; it makes painting ten times slower, and the
// others are painted without it.
const Stride = 100
