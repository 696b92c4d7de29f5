// Package workflow is the durable engine of multi-step media work.
//
// A workflow is a row with two documents. The plan is what was accepted: every
// step checked against the catalog and priced, every binding, index and URL
// turned into a source. It never changes. The state is the progress. A
// fact (a worker started, finished or dropped a job; the user resumed,
// confirmed or cancelled) is one transaction that loads the row, changes the
// state, submits the jobs of steps that have become ready, writes the events
// that report it and stores the state again. No process drives a workflow: the
// caller that brings the fact does, so a crashed process loses nothing, and an idle
// workflow costs nothing.
//
// It serves the "Creative workflows" part of the specification. It uses fleet, which
// renders and charges, journal, which keeps the log, template, which compiles the
// templates that are started, and media, which has the saved uploads. Higher packages
// render only through it. What the two documents keep of the root's types has separate structs
// (document.go); what a reader gets is in package snapshot.
//
// Invariants: the log has no gap; a step has at most one job that is not over;
// a workflow that is over never changes; statuses move only along
// atelier.WorkflowMoves and atelier.StepMoves; locks are taken in one order,
// jobs before the account before the workflow.
package workflow
