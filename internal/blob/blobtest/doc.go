// Package blobtest holds every blob.Store and every blob.SignedStore to one
// contract. The tests of a store call Run, those of a signed store RunSigned; a
// promise beyond the contract is tested by the store's own package.
package blobtest
