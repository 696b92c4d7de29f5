package atelier

import "slices"

// Status is the state of a workflow, a step or a chat run.
type Status string

// The statuses. The last four are final.
const (
	StatusQueued         Status = "queued"
	StatusRunning        Status = "running"
	StatusWaitingForUser Status = "waiting_for_user"
	StatusCompleted      Status = "completed"
	StatusPartialFailure Status = "partial_failure"
	StatusFailed         Status = "failed"
	StatusCancelled      Status = "cancelled"
)

// Statuses lists the statuses.
var Statuses = []Status{StatusQueued, StatusRunning, StatusWaitingForUser, StatusCompleted, StatusPartialFailure, StatusFailed, StatusCancelled}

// Values lists the statuses for the OpenAPI document.
func (Status) Values() []string {
	var out []string
	for _, s := range Statuses {
		out = append(out, string(s))
	}
	return out
}

// Terminal reports whether the status is final.
func (s Status) Terminal() bool {
	return s == StatusCompleted || s == StatusPartialFailure || s == StatusFailed || s == StatusCancelled
}

// Active reports whether work is under way: limits on active work count it.
func (s Status) Active() bool { return s == StatusQueued || s == StatusRunning }

// WaitingReason says why a workflow or step waits.
type WaitingReason string

// The reasons. A queued step waits for one of the last ones, or for a worker that offers
// its model (WaitNoWorker); the others are for the user to deal with.
const (
	WaitCostApproval WaitingReason = "cost_approval_required"
	WaitSafetyReview WaitingReason = "safety_review_required"
	WaitCredit       WaitingReason = "insufficient_credit"
	WaitQuestion     WaitingReason = "ask_clarifying_question"
	WaitOther        WaitingReason = "other"
	WaitQueue        WaitingReason = "queued"     // for the jobs before its own
	WaitDependency   WaitingReason = "dependency" // for the results of other steps
	WaitMedia        WaitingReason = "media"      // for media that is being fetched
)

// Move is one row of a state table.
type Move[S ~string] struct {
	From    S // empty for what does not exist yet
	Trigger string
	To      S
}

// WorkflowMoves is the state table of workflows. The workflow engine refuses every
// other move.
var WorkflowMoves = []Move[Status]{
	{"", "inline start", StatusQueued},
	{"", "template start", StatusWaitingForUser},
	{StatusQueued, "a step starts", StatusRunning},
	{StatusQueued, "a step waits for the user and no other is in progress", StatusWaitingForUser},
	{StatusQueued, "no step can continue", StatusFailed},
	{StatusQueued, "every step is done", StatusCompleted},
	{StatusQueued, "some steps are done and no other can continue", StatusPartialFailure},
	{StatusQueued, "cancel", StatusCancelled},
	{StatusRunning, "a step waits for the user and no other is in progress", StatusWaitingForUser},
	{StatusRunning, "every step is done", StatusCompleted},
	{StatusRunning, "some steps are done and no other can continue", StatusPartialFailure},
	{StatusRunning, "no step is done and none can continue", StatusFailed},
	{StatusRunning, "cancel", StatusCancelled},
	{StatusWaitingForUser, "resume or confirm-cost, before any step started", StatusQueued},
	{StatusWaitingForUser, "resume or confirm-cost", StatusRunning},
	{StatusWaitingForUser, "cancel, or confirm-cost with the decision cancel", StatusCancelled},
}

// StepMoves is the state table of steps. The workflow engine refuses every other
// move.
var StepMoves = []Move[Status]{
	{StatusQueued, "a worker starts it", StatusRunning},
	{StatusQueued, "it needs money, a review or an answer", StatusWaitingForUser},
	{StatusQueued, "it needs no worker", StatusCompleted},
	{StatusQueued, "a required source failed, or the step cannot run", StatusFailed},
	{StatusQueued, "no connected worker offers its model within the timeout", StatusFailed},
	{StatusQueued, "cancel", StatusCancelled},
	{StatusRunning, "complete", StatusCompleted},
	{StatusRunning, "some of its results are missing", StatusPartialFailure},
	{StatusRunning, "fail", StatusFailed},
	{StatusRunning, "dropped on the first attempt", StatusQueued},
	{StatusRunning, "the renderer filtered it", StatusWaitingForUser},
	{StatusRunning, "cancel", StatusCancelled},
	{StatusWaitingForUser, "resume", StatusQueued},
	{StatusWaitingForUser, "cancel", StatusCancelled},
}

// RunMoves is the state table of chat runs. The run engine refuses every other move.
var RunMoves = []Move[Status]{
	{"", "start", StatusQueued},
	{StatusQueued, "a node takes it", StatusRunning},
	{StatusQueued, "cancel", StatusCancelled},
	{StatusQueued, "it cannot be run", StatusFailed},
	{StatusRunning, "a call costs money that has to be approved, or its content has to be reviewed", StatusWaitingForUser},
	{StatusRunning, "the model has answered", StatusCompleted},
	{StatusRunning, "it has ended, but a tool or the model failed", StatusPartialFailure},
	{StatusRunning, "it cannot go on, and nothing was made", StatusFailed},
	{StatusRunning, "cancel", StatusCancelled},
	{StatusWaitingForUser, "confirm-cost with the decision confirm", StatusRunning},
	{StatusWaitingForUser, "confirm-cost with the decision cancel", StatusCompleted},
	{StatusWaitingForUser, "cancel", StatusCancelled},
}

// MayMove reports whether a table allows a move. Staying is always allowed.
func MayMove(table []Move[Status], from, to Status) bool {
	return from == to || hasMove(table, from, to)
}

// hasMove reports whether a table has a move.
func hasMove[S ~string](table []Move[S], from, to S) bool {
	return slices.ContainsFunc(table, func(m Move[S]) bool { return m.From == from && m.To == to })
}
