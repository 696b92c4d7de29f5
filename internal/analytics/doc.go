// Package analytics counts the work that has ended and reads the counters: of
// workers, of NFTs, of networks and of models, by UTC day and over the lifetime.
//
// The transaction that ends a piece of work writes a work record. A background task
// of each node adds the records to the counters, many at a time, and a read adds
// those that are not counted yet: it is exact at any time, it never reads jobs, and
// settlements do not wait for each other at a counter. Connected time, logins and the
// number of connected workers are counted with the heartbeats of workers. An NFT has
// counters once a worker with it has ended a job, or was connected for some seconds.
//
// It serves the Worker analytics part of the specification, and uses store.
package analytics
