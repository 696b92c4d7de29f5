// Package atelier is the vocabulary of the service: accounts, jobs, plans, money,
// typed ids, errors, and the statuses with their legal moves.
//
// It is the lowest layer: every other package may import it, and it imports none of
// them. It does no I/O and reads no clock; time is an argument. New ids are made by
// internal/mint. Where a type has JSON tags, they are names of the API, and replies
// carry it as it is; what is stored as JSON has separate structs, in the package
// that stores it.
//
// To learn the code, read this package for the nouns, then internal/api/route.go for
// the endpoints, and follow one of them down: handler, engine, store.
//
//atelier:sequential
package atelier
