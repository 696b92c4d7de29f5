package atelier

// Status is where a workflow, a step of one or a chat run stands.
type Status string

// The statuses. The last four are final.
const (
	Queued         Status = "queued"
	Running        Status = "running"
	WaitingForUser Status = "waiting_for_user"
	Completed      Status = "completed"
	PartialFailure Status = "partial_failure"
	Failed         Status = "failed"
	Cancelled      Status = "cancelled"
)

// Statuses lists them.
var Statuses = []Status{Queued, Running, WaitingForUser, Completed, PartialFailure, Failed, Cancelled}

// Values lists the statuses for documents.
func (Status) Values() []string {
	var out []string
	for _, s := range Statuses {
		out = append(out, string(s))
	}
	return out
}

// Terminal reports whether nothing can happen any more.
func (s Status) Terminal() bool {
	return s == Completed || s == PartialFailure || s == Failed || s == Cancelled
}

// Active reports whether work is under way: what a cap on active work counts.
func (s Status) Active() bool { return s == Queued || s == Running }

// WaitingReason says why something waits for its user.
type WaitingReason string

// The reasons.
const (
	WaitCostApproval WaitingReason = "cost_approval_required"
	WaitSafetyReview WaitingReason = "safety_review_required"
	WaitCredit       WaitingReason = "insufficient_credit"
	WaitQuestion     WaitingReason = "ask_clarifying_question"
	WaitOther        WaitingReason = "other"
)

// Move is one row of a state table.
type Move struct {
	From    Status // empty for what does not exist yet
	Trigger string
	To      Status
}

// WorkflowMoves is the state table of workflows. Whatever is not in it is
// refused.
var WorkflowMoves = []Move{
	{"", "inline start", Queued},
	{"", "template start", WaitingForUser},
	{Queued, "a step starts", Running},
	{Queued, "a step waits for the user and none is under way", WaitingForUser},
	{Queued, "no step can go on", Failed},
	{Queued, "every step is done", Completed},
	{Queued, "some steps are done and no other can go on", PartialFailure},
	{Queued, "cancel", Cancelled},
	{Running, "a step waits for the user and none is under way", WaitingForUser},
	{Running, "every step is done", Completed},
	{Running, "some steps are done and no other can go on", PartialFailure},
	{Running, "no step is done and none can go on", Failed},
	{Running, "cancel", Cancelled},
	{WaitingForUser, "resume or confirm-cost, before any step started", Queued},
	{WaitingForUser, "resume", Running},
	{WaitingForUser, "cancel, or confirm-cost with the decision cancel", Cancelled},
}

// StepMoves is the state table of steps.
var StepMoves = []Move{
	{Queued, "a worker starts it", Running},
	{Queued, "it needs money, a review or an answer", WaitingForUser},
	{Queued, "it needs no worker", Completed},
	{Queued, "what it requires failed, or it cannot be done", Failed},
	{Queued, "no connected worker offers its model for too long", Failed},
	{Queued, "cancel", Cancelled},
	{Running, "complete", Completed},
	{Running, "some of its results are missing", PartialFailure},
	{Running, "fail", Failed},
	{Running, "dropped the first time", Queued},
	{Running, "the renderer filtered it", WaitingForUser},
	{Running, "cancel", Cancelled},
	{WaitingForUser, "resume", Queued},
	{WaitingForUser, "cancel", Cancelled},
}

// MayMove reports whether a table allows a move. Staying is always allowed.
func MayMove(table []Move, from, to Status) bool {
	if from == to {
		return true
	}
	for _, m := range table {
		if m.From == from && m.To == to {
			return true
		}
	}
	return false
}
