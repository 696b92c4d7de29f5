// Package blobtest holds every blob.Store to one contract. The tests of a store
// call Run; what a store promises beyond the contract it tests itself.
package blobtest
