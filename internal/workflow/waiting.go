package workflow

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/filter"
	"github.com/atelier-project/atelier/internal/store"
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

// recordRefusal keeps what the content filter refused, for operators to judge.
func (e *Engine) recordRefusal(tx *store.Tx, r *record, i int) error {
	p := r.plan.Steps[i]
	tool, _ := e.catalog.Tool(p.ToolName)
	return tx.InsertRefusal(store.FilterRefusal{
		At: r.now, Wallet: r.row.Wallet, Place: "workflow", Source: string(r.row.ID) + "/" + p.ID, Tool: p.ToolName, Categories: p.Flagged, Excerpt: filter.Prose(tool, p.Normalized),
	})
}

// stepWaiting says what a paused step waits for.
func (r *record) stepWaiting(i int) *apitype.Waiting {
	s := r.state.Steps[i]
	w := &apitype.Waiting{Reason: s.Waiting, Message: s.Message, Details: &apitype.WaitingDetails{StepID: r.plan.Steps[i].ID}}
	if s.Waiting == atelier.WaitCostApproval {
		preview := atelier.CostPreview(r.state.Previews[len(r.state.Previews)-1])
		w.Until, w.Details.CostApprovalPreview = &preview.ValidityUntil, &preview
	}
	if s.Waiting != atelier.WaitSafetyReview {
		return w
	}
	w.Details.Help = reviewHelp
	// A step that the content filter flags is not sent to a renderer that filters, so
	// the plan says which of the two it was.
	if found := r.plan.Steps[i].Flagged; len(found) > 0 {
		w.Details.Source, w.Details.Categories = "content_filter", found
	} else {
		w.Details.Source = "renderer"
	}
	return w
}

// approvalMessage asks for the approval of a cost.
const approvalMessage = "The cost must be approved: confirm or decline it with confirm-cost."

// waiting says what the paused workflow waits for: its cost, or the first of its
// steps that waits.
func (r *record) waiting() *apitype.Waiting {
	if r.awaitsApproval() {
		preview := atelier.CostPreview(r.state.Previews[len(r.state.Previews)-1])
		return &apitype.Waiting{Reason: r.row.Waiting, Message: approvalMessage, Until: &preview.ValidityUntil, Details: &apitype.WaitingDetails{CostApprovalPreview: &preview}}
	}
	for i, s := range r.state.Steps {
		if s.Status == atelier.StatusWaitingForUser {
			return r.stepWaiting(i)
		}
	}
	return nil
}

// queueWaiting says what a step waits for that is queued, or nil for any other.
func (v *view) queueWaiting(i int) *apitype.Waiting {
	s := v.state.Steps[i]
	switch {
	case s.Status != atelier.StatusQueued || v.row.Status.Terminal():
		return nil
	case v.awaitsApproval():
		until := v.state.Previews[len(v.state.Previews)-1].ValidityUntil
		return &apitype.Waiting{Reason: atelier.WaitCostApproval, Message: "The cost must be approved until " + stamp(until) + ".", Until: &until}
	case s.NoWorker != nil:
		w := &apitype.Waiting{Reason: atelier.WaitNoWorker, Message: atelier.WaitingFor(*s.NoWorker).String()}
		fails, fallback := v.fails(s.NoWorker.Since), s.NoWorker.FallbackAt
		switch {
		case !fallback.IsZero():
			w.Until = &fallback
			w.Message += " It is kept until " + stamp(fallback) + " for one that comes back; then a fallback worker may make it."
			if !fails.IsZero() {
				w.Message += " It fails at " + stamp(fails) + " if no fallback worker is connected."
			}
		case !fails.IsZero():
			w.Until = &fails
			w.Message += " The job fails at " + stamp(fails) + " unless one connects."
		}
		return w
	case s.JobID != "":
		w := &apitype.Waiting{Reason: atelier.WaitQueue, Message: "The job is queued."}
		if place, ok := v.places[s.JobID]; ok && place.Exact {
			w.Position = place.Ahead + 1
			w.Message = fmt.Sprintf("The job is number %d in the queue.", w.Position)
		} else if ok {
			w.Message = fmt.Sprintf("More than %d jobs are queued before this one.", maxAhead)
		}
		return w
	}
	return v.sourceWaiting(i)
}

// sourceWaiting says which other step, or what media, a step waits for that has no job yet.
func (v *view) sourceWaiting(i int) *apitype.Waiting {
	p := v.plan.Steps[i]
	before := func(k int) *apitype.Waiting {
		return &apitype.Waiting{Reason: atelier.WaitDependency, Message: fmt.Sprintf("The step waits for the step %q.", v.plan.Steps[k].ID)}
	}
	if p.After != nil && !v.state.Steps[*p.After].Status.Terminal() {
		return before(*p.After)
	}
	for _, src := range p.Sources {
		switch {
		case src.Step >= 0 && !v.state.Steps[src.Step].Status.Terminal():
			return before(src.Step)
		case src.Step < 0 && src.Value == "" && !v.state.Files[src.File].isOver():
			return &apitype.Waiting{Reason: atelier.WaitMedia, Message: fmt.Sprintf("The step waits for the media for %s, which is being fetched.", src.Argument)}
		}
	}
	return nil
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// maxAhead is how many queued jobs before another are counted.
const maxAhead = 100

// addPlaces reads the places of the queued jobs of workflows in the queue.
func (e *Engine) addPlaces(ctx context.Context, views ...*view) error {
	places := map[atelier.JobID]store.QueuePlace{}
	for _, v := range views {
		v.places = places
		for _, s := range v.state.Steps {
			if s.Status == atelier.StatusQueued && s.JobID != "" && s.NoWorker == nil && !v.row.Status.Terminal() {
				places[s.JobID] = store.QueuePlace{}
			}
		}
	}
	if len(places) == 0 {
		return nil
	}
	return e.db.Read(ctx, func(tx *store.Tx) (err error) {
		for id := range places {
			if places[id], err = tx.QueuePlace(id, maxAhead); err != nil {
				return err
			}
		}
		return nil
	})
}
