// Package generation makes media within one request, for protocols whose clients wait for the result: it starts a
// workflow, follows it to its end, and reads the files that it has made.
//
// Invariants: what it starts is an ordinary workflow, with the ledger, limits and content filter of all others, and
// outlives the request; one that waits for its user, or for a worker that is not connected, is cancelled, because the
// client of the protocol could neither decide nor wait.
package generation
