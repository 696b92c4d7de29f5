// Package live follows what an account has: one stream tells a client which of its
// workflows, chat runs, artifacts and personal LoRAs have changed, that its balance has,
// and that the network of workers has.
//
// The stream is about states, not events. A nudge makes it read the rows that changed
// last, from indexes, and tell how they are now; changes that come while a reader is
// slow, or in quick succession, become one. It says "ready" when a client should load its
// lists: at the beginning, and when more has changed at once than a stream remembers. It
// also reads from time to time without a nudge, so that a lost one is harmless. Of
// deleted artifacts it says only that there are some.
//
// The store reports which accounts a durable change has touched (store.DB.OnChange), so no
// engine can forget to. The journal has the events of one workflow or run, in order and
// without gaps; this package has neither.
//
// It uses store and bus, and the workflow engine to read how far a workflow is. What a
// stream holds is bounded: it remembers a few rows of each topic.
package live
