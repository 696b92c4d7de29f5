// Package atelier is the vocabulary of the service: accounts, plans, money,
// errors, and the statuses with their legal moves.
//
// It is the ground floor. Every other package may import it and it imports
// none of them: no I/O, no clock, no network. Time comes in as an argument and
// leaves as a value. JSON tags on these types are the spelling of the wire, so
// a reply can carry them as they are.
//
// A newcomer reads this package for the nouns, then internal/api/route.go for
// the endpoints, and follows one of them down: handler, engine, store.
package atelier
