// Package blobtest holds every blob.Store and every blob.SignedStore to one contract.
// The tests of a store call Run, those of a signed store RunSigned; what one promises
// beyond the contract it tests itself.
package blobtest
