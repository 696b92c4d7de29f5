// Package blobtest holds every blob.Store and every blob.Gate to one contract.
// The tests of a store call Run, those of a gate RunGate; what one promises
// beyond the contract it tests itself.
package blobtest
