// Package journal keeps the logs of workflows and chat runs.
//
// A fact and the event that tells of it share a transaction: Append writes in
// the caller's. The sequence comes from a counter on the parent's row, so that
// a log has no gap and no repeat whoever writes it.
//
// Replay and live reading are the same query. Follow reads on from a sequence
// and waits on the bus when it has read everything; what one reader of a log
// has read on this node the others take from memory, so that a thousand
// readers of one log cost one read an event.
//
// It stands on store and bus. Who may read a log is its callers' affair.
package journal
