//go:build race

package worktest

// Racing says that the race detector is on.
const Racing = true
