// Package retention removes what has ended longer ago than its operator keeps it: workflows with their jobs and logs,
// chat runs, event logs, uploads that were used, deliveries of webhooks, replay records and the history of operators.
//
// Rows go in small transactions, in the order of an index, with a pause after each that is as long as the transaction
// took, so that a sweep never takes more than about half of what a single writer can do. A batch that takes long is
// followed by a smaller one. The kinds take turns, and one whose objects are being moved lets the others go on. One
// node at a time removes a kind: it holds it in the database for a while, and another continues when it dies. Nothing
// depends on that: whatever a transaction removes, it checks itself.
//
// Objects are moved to the trash after their rows are gone (docs/adr/0010-rows-before-objects.md); those of a process
// that dies in between are garbage, which the sweeper of media finds.
//
// It stands on store, media and journal. It knows nothing of what workflows and runs do.
//
// Invariants: what has not ended stays, and so does what something else needs: a workflow whose results are marked or
// used by another that is not over, or that may be made by a chat run that is not over, a run for which money is held,
// a delivery that is on its way, an upload that a run refers to. Money is never removed: neither ledger, holds, work
// records, counters nor earnings.
package retention
