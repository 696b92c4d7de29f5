// Package fleet is the queue of render jobs and the workers that take them.
//
// A job is a row: one render, with an order that says what to make. A worker opens
// a session, claims the job and holds it by a lease that its progress renews. The
// reaper takes back a job whose lease expired, and it is retried once; a worker that
// sends no heartbeat loses all its jobs. The artifacts of a job, its cost and its
// owner are settled in one transaction, once: an answer of a worker that no longer
// holds the job is refused. A job whose outcome at a vendor is unknown is
// an unresolved job: it keeps its hold and is offered again with its receipt (ExternalRef).
//
// There is no polling. A claim that finds nothing waits with its node's dispatcher,
// which the bus wakes when a job is queued; the reaper sleeps until the next
// lease ends. A lost nudge costs a moment: a slow sweep looks again.
//
// Accounts take turns, by jobs and by render time. A worker gets jobs of its loaded
// models first, within a bound, and an account's plan limits how many jobs of a class run
// at once. Package schedule has the rules of who gets which job; the dispatcher reads what
// they depend on, and leases what they decide.
//
// A worker that reports that it is unavailable gets no job and offers no model. The next
// try of a dropped job goes to another worker than the one that dropped it, if there is one.
//
// A lapse is a job that a worker failed at, so that it was queued again, and that another then
// completed. Lapses lower the standing of a worker: while it is low, others in good standing get the
// jobs of their models, but for trials.
//
// A fallback worker gets a job only while no other connected worker offers its
// model, and none has done so for a while: workers restart. A queued job whose model is
// in no worker's offer is marked so, and fails after a while.
//
// Workers may belong to any account. Only the service's own record an ExternalRef; no signed
// form of a worker names the key of a settled file; leases, sessions, reports and the
// numbers in them are bounded.
//
// It serves the worker protocol, the demand read and the project read. It
// uses store, bus, blob and billing. It reports the end of a job to the package that
// submitted it through Hooks, inside the settling transaction.
package fleet
