// Package run is the engine of durable chat runs: an answer of package chat that is
// stored as it is made, outlives its connection and its process, and waits for its
// user where money or content has to be decided about.
//
// A run is a row: the request, which never changes, and the state, which says how far
// the answer has come. A node that works on a run names itself in the row. Nodes hold
// leases; the runs of a node whose lease has ended are taken by another. Every write of
// a node is bound to its takeover, so that a node that was thought dead changes nothing.
//
// The loop is that of chat.Continue. Its recorder is here: an answer of the model, the
// start of a workflow and the outcome of a call are each stored in one transaction with
// their events and their payment. What is lost in a crash was not recorded and not paid,
// and is done again.
//
// A run that waits for its user is a row and nothing else: no goroutine, no lease and no
// connection. A decision continues it on whichever node takes it. A large run that waits for
// a workflow keeps its state and a goroutine that follows the workflow, and nothing of its
// conversation; then it waits for a place again.
//
// It serves the "Durable chat runs" part of the specification. It stands on chat,
// workflow, billing, journal and store.
//
// Invariants: a workflow is dispatched once for a call; a round of a model is paid once,
// with the event that reports it; a log has no gap and no repeat, and keeps its newest
// 2,000 events; statuses move along atelier.RunMoves only.
package run
