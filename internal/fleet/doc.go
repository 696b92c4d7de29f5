// Package fleet is the queue of render jobs and the workers that take them.
//
// A job is a row. A worker claims it and holds it by a lease that its progress
// renews. The reaper drops a job whose lease expired, and it is tried once more. The
// artifacts of a job, its price and its owner's next step are settled in one
// transaction, once: a report of a worker that no longer holds the job is refused.
//
// Nothing polls. A claim that finds no job waits with its node's dispatcher, which the
// bus wakes when a job is queued; the reaper sleeps until the next lease ends. A slow
// periodic check makes a lost nudge harmless.
//
// Accounts take turns, by jobs and by render time. A worker gets jobs of its loaded
// models first, and an account's plan limits how many jobs of a class run at once.
//
// A fallback worker gets a job only while no other connected worker offers its
// model. A queued job whose model no connected worker offers says so, and fails after
// a while.
//
// Workers may belong to any account. Only the service's own record an ExternalRef; no
// upload form names the key of a settled file; leases, sessions, reports and the
// numbers in them are bounded.
//
// The package serves the worker protocol, the demand read and the project read. It
// uses store, bus, blob and billing. The owner of a job learns its outcome through
// Hooks, inside the settling transaction.
package fleet
