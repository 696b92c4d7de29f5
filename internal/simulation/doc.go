// Package simulation plays games with the engines of the service: it draws what clients, workers,
// nodes, the network and the database do from a seed, and holds what comes of it against what must
// always be true.
//
// Real are the engines (workflow, fleet, billing, journal, run, chat, webhook, lora, analytics), the store
// and SQLite. Simulated are the clock, which a bubble of testing/synctest moves; the storage of files, in
// memory; the receivers of webhooks and the sites of LoRAs, which refuse, hang and lose answers; a language
// model, which fails and hangs; workers and clients; and the nodes, each with its own engines, bus and
// connection to one database. A process dies at any commit, before it or after it, or between two calls, and
// another one begins in its place. A call of the database fails although the process lives: a read, or a
// commit before or after it was made. An answer is lost on its way, and its caller asks again.
//
// One goroutine acts. It calls the verbs of the engines that their background tasks call
// (Expire, RecordPresence, CheckOffers, Queue, Count), in an order that the seed decides, so that
// nothing depends on how goroutines are scheduled. Chat runs have goroutines: in a third of the games one node
// works on them, and its goroutines wait before each call of the database until the seed lets the first of them
// make it. Random ids come from the seed too. So the same
// seed plays the same game: its trace, line by line, is the same, and TestSameSeedSameGame checks it.
//
// After every step that has written something these hold: every purse agrees with the ledger and the
// holds, and none is overdrawn; money is held only for work that is not over; only completed
// work is charged; logs have no gap and no repeat; no job is queued for a workflow that is over, and no
// workflow is under way without a job; at most as many jobs run as plans and workers allow; and no
// worker is given a job, or has its answer about one accepted, while another one has the lease. Readers of logs
// that connect again get every event once. A request that is sent again under its key finds what it
// has started before.
//
// At the end nothing fails any more, and time continues: everything that was accepted ends, nothing is held,
// each step has cost what was charged for it, every webhook got a delivery about every end and each event
// that counts as delivered has arrived, and billing's audit finds no difference.
//
// Each run has a log that begins and ends once, reports each call and each round once, and says what was charged
// for it; and each import has ended with the file of its site, or a reason.
//
// Then all of it becomes old and is removed, while calls fail again: nothing is removed before, nothing is left then,
// and the money is what it was.
//
// What it does not have: several runs at a time, PostgreSQL, whose transactions run beside each other, retention
// beside work that is under way, keys with separate limits, and work at vendors. The tests of the packages are about
// those.
package simulation
