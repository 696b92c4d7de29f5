// Package journal keeps the event logs of workflows and chat runs.
//
// A change and the events that report it share a transaction: Change collects them,
// and Store writes them in the caller's. The sequence comes from the head of the
// parent's row, so that a log has no gap and no duplicate, whichever node writes it.
//
// Replay and live reading are the same query. Follow reads from a sequence on
// and waits on the bus when it has read everything. The readers of one log on a
// node share the events that one of them has read, so that a thousand readers
// cost one database read per event.
//
// It uses store and bus. Its callers decide who may read a log.
package journal
