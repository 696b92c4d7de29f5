package workflow

import (
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/workflow/snapshot"
)

// reviewHelp says what the user of a filtered step can do.
const reviewHelp = "Cancel the workflow and start it again with another prompt, or resume it with safe_content_filter false " +
	"if your account may turn the filter off."

// filterMessage says what the content filter found. It does not repeat the words: they
// would only help to get around the filter.
func filterMessage(categories []string) string {
	word := "category "
	if len(categories) > 1 {
		word = "categories "
	}
	return "The content filter paused this step: " + word + strings.Join(categories, ", ") + ". " + reviewHelp
}

// stepWaiting says what a paused step waits for.
func (r *record) stepWaiting(i int) *snapshot.Waiting {
	s := r.state.Steps[i]
	w := &snapshot.Waiting{Reason: s.Waiting, Message: s.Message, Details: map[string]any{"stepId": r.plan.Steps[i].ID}}
	if s.Waiting != atelier.WaitSafetyReview {
		return w
	}
	w.Details["help"] = reviewHelp
	// A step that the content filter flags is not sent to a renderer that filters, so
	// the plan says which of the two it was.
	if found := r.plan.Steps[i].Flagged; len(found) > 0 {
		w.Details["source"], w.Details["categories"] = "content_filter", found
	} else {
		w.Details["source"] = "renderer"
	}
	return w
}

// approvalMessage asks for the approval of a cost.
const approvalMessage = "The cost must be approved: confirm or decline it with confirm-cost."

// waiting says what the paused workflow waits for: its cost, or the first of its
// steps that waits.
func (r *record) waiting() *snapshot.Waiting {
	if r.awaitsApproval() {
		return &snapshot.Waiting{Reason: r.row.Waiting, Message: approvalMessage, Details: map[string]any{"costApprovalPreview": atelier.CostPreview(r.state.Previews[len(r.state.Previews)-1])}}
	}
	for i, s := range r.state.Steps {
		if s.Status == atelier.StatusWaitingForUser {
			return r.stepWaiting(i)
		}
	}
	return nil
}
