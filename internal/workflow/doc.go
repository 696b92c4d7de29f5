// Package workflow is the durable engine of multi-step media work.
//
// A workflow is a row with two documents. The plan is what was accepted: every
// step checked against the catalog and priced, every binding, index and URL
// turned into a source. It never changes. The state is what became of it. A
// fact (a worker started, finished or dropped a job; the user resumed,
// confirmed or cancelled) is one transaction that loads the row, changes the
// state, submits the jobs of steps that have become ready, writes the events
// that tell of it and stores the state again. There is no process that drives
// a workflow: whoever brings the fact does, so nothing is lost with a process,
// and an idle workflow costs nothing.
//
// It serves the "Creative workflows" part of the specification. It stands on
// fleet, which renders and is paid, and on journal, which keeps the log. It is
// the only door to rendering for the rooms above.
//
// Invariants: the log has no gap; a step has at most one job that is not over;
// a workflow that is over never changes; statuses move only along
// atelier.WorkflowMoves and atelier.StepMoves; locks are taken in one order,
// jobs before the account before the workflow.
package workflow
