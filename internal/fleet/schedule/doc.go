// Package schedule decides which of the claims that wait gets which of the queued jobs.
//
// Assign is a function of a Snapshot. It reads no database and no clock, and keeps nothing: the
// dispatcher of package fleet reads the snapshot, and leases what was decided, if that is still
// possible. These are its rules:
//
// A claim gets a job that its worker may take: one of a model that it offers, that may go to its
// account, and that it has not dropped while another worker can take it. No claim gets two jobs,
// no job goes to two claims, and no worker gets more than it has space for.
//
// A worker whose job is about to end may claim the next one before it has. Workers that can begin
// a job now come first.
//
// A worker whose standing is low gets jobs of a model that workers in good standing serve too only as
// trials: now and then one, and none that is not tried again if it fails. What no such worker serves,
// it gets like any other.
//
// Accounts take turns: jobs go out in the order that they are due. Workers that report no loaded
// models keep this order.
//
// Loading another model takes a worker longer than many renders. So a worker that has models
// loaded takes jobs of those first, also from further back in the queue. Among several jobs of
// one model the order stays.
//
// No job starves: one that is passed over for the first time when it has waited for some time may
// be passed over for half as long again, at least 5 and at most 30 seconds. Then the next worker
// that may take it does, whatever it has loaded.
//
// A worker that has to load another model takes the first due job of a model that no other worker
// renders. Otherwise it takes the first due job of those that need not be left, for a
// short while, to a worker that renders its model and will soon be done.
//
//atelier:sequential
package schedule
