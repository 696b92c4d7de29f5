// Package fleet is the queue of render jobs and the workers that take them.
//
// A job is a row. A worker claims it and holds it by a lease that its progress
// renews; whoever does not renew in time has dropped it, and it is tried once
// more. What a job made, what it cost and what waits for it are settled in one
// transaction, once: an answer of a worker that no longer holds the job is
// refused.
//
// Nobody polls. A claim that finds nothing waits with its node's dispatcher,
// which the bus wakes when a job is queued; the reaper sleeps until the next
// lease ends. A lost nudge costs a moment: a slow sweep looks again.
//
// Accounts take turns, by jobs and by render time; jobs of models that a worker
// has loaded are given to it first, and an account's plan limits how many of a
// class run at once.
//
// A fallback worker gets a job only while no other connected worker offers its
// model. A queued job that nobody offers says so, and fails after a while.
//
// Workers may belong to anybody. Only the service's own leave receipts; no form
// of a worker names the key of a settled file; leases, sessions, reports and the
// numbers in them are bounded.
//
// It serves the worker protocol, the demand read and the project read. It
// stands on store, bus, blob and billing. Whoever submitted a job is told of
// its fate through Hooks, inside the settling transaction.
package fleet
