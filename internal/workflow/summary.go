package workflow

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/store"
)

// kind is the kind of the result: that of the last step that makes something.
func (p *plan) kind() (kind string) {
	for _, s := range p.Steps {
		if s.Kind != "" {
			kind = string(s.Kind)
		}
	}
	return kind
}

// texts are the title and the prompts, which can be searched.
func (p *plan) texts() []string {
	out := []string{p.Title}
	for _, s := range p.Steps {
		prompt, _ := s.Arguments["prompt"].(string)
		out = append(out, prompt)
	}
	return out
}

// used are the tools and the models of the steps.
func (p *plan) used() (tools, models []string) {
	for _, s := range p.Steps {
		tools, models = append(tools, s.ToolName), append(models, s.Model)
	}
	return tools, models
}

// titleLength is how many characters of a prompt stand for a missing title.
const titleLength = 80

// shownTitle is the title, the beginning of the first prompt, or the first tool in words. A prompt that says what is
// done with something does not say much: its tool is named before it.
func (p *plan) shownTitle() string {
	if title := inOneLine(p.Title); title != "" {
		return title
	}
	return cmp.Or(p.firstPrompt(), toolInWords(p.Steps[0].ToolName))
}

func (p *plan) firstPrompt() string {
	for i, text := range p.texts()[1:] {
		if text = inOneLine(text); text == "" {
			continue
		}
		if tool := p.Steps[i].ToolName; !strings.HasPrefix(tool, "generate_") {
			text = toolInWords(tool) + ": " + text
		}
		return beginning(text)
	}
	return ""
}

// about is what tells workflows of one title apart: what the inputs of the template were filled in with, or the first
// prompt; empty where that is the title.
func (p *plan) about() string {
	if p.Template == nil || len(p.Template.Inputs) == 0 {
		if about := p.firstPrompt(); about != p.shownTitle() {
			return about
		}
		return ""
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(p.Template.Inputs)) {
		switch value := p.Template.Inputs[name].(type) {
		case string:
			if text := inOneLine(value); text != "" && !strings.Contains(text, "://") {
				parts = append(parts, text)
			}
		case float64:
			parts = append(parts, strconv.FormatFloat(value, 'f', -1, 64))
		}
	}
	return beginning(strings.Join(parts, " · "))
}

func inOneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// beginning is a text of at most titleLength characters.
func beginning(text string) string {
	if chars := []rune(text); len(chars) > titleLength {
		return string(chars[:titleLength-1]) + "…"
	}
	return text
}

func toolInWords(name string) string {
	words := strings.ReplaceAll(strings.ReplaceAll(name, "_", " "), "3d", "3D")
	return strings.ToUpper(words[:1]) + words[1:]
}

// Filter selects workflows of an account.
type Filter = store.WorkflowFilter

// Position is a place in a list of summaries.
type Position = store.WorkflowPosition

// Summaries is a page of a list of summaries.
type Summaries struct {
	Workflows []apitype.WorkflowSummary
	Next      *Position // after which the next page begins; nil on the last page
}

// How many workflows one request looks at for those that a filter selects. A page of a list
// may then be short, or empty, and the next one continues.
const (
	mostSearched = 5_000
	mostCounted  = 20_000
)

// Summaries reads the workflows of an account that a filter selects, the newest first,
// after a position if one is given.
func (e *Engine) Summaries(ctx context.Context, w atelier.Wallet, f Filter, after *Position, limit int) (Summaries, error) {
	views, next, err := e.selected(ctx, w, f, after, limit)
	if err != nil {
		return Summaries{}, err
	}
	out := Summaries{Workflows: []apitype.WorkflowSummary{}, Next: next}
	for _, v := range views {
		s, picture := v.summary()
		if picture != "" && e.opts.Thumbnail != nil {
			s.ThumbnailURL = orNil(e.opts.Thumbnail(picture, e.opts.Now()))
		}
		out.Workflows = append(out.Workflows, s)
	}
	return out, nil
}

// Select reads the workflows of an account that a filter selects, the newest first, without their events, after a
// position if one is given. It reports whether there are more.
func (e *Engine) Select(ctx context.Context, w atelier.Wallet, f Filter, after *Position, limit int) (list []apitype.Workflow, more bool, err error) {
	for {
		views, next, err := e.selected(ctx, w, f, after, limit-len(list))
		if err != nil {
			return nil, false, err
		}
		for _, v := range views {
			list = append(list, v.snapshot())
		}
		if next == nil || len(list) == limit {
			return list, next != nil, nil
		}
		after = next
	}
}

// selected reads a page of the workflows that a filter selects.
func (e *Engine) selected(ctx context.Context, w atelier.Wallet, f Filter, after *Position, limit int) (views []*view, next *Position, err error) {
	var rows []store.StoredWorkflow
	err = e.db.Read(ctx, func(tx *store.Tx) (err error) {
		rows, next, err = tx.SelectWorkflows(w, f, after, limit, listBytes, mostSearched)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	views = make([]*view, len(rows))
	for i, row := range rows {
		if views[i], err = e.viewOf(ctx, row, nil); err != nil {
			return nil, nil, err
		}
	}
	return views, next, cmp.Or(e.addPlaces(ctx, views...), e.addDiscounts(ctx, views...))
}

// Counts counts the workflows of an account that a filter selects, by status. It has every
// status, and what filters of the account can name.
func (e *Engine) Counts(ctx context.Context, w atelier.Wallet, f Filter) (apitype.WorkflowCounts, error) {
	var (
		out   apitype.WorkflowCounts
		names store.WorkflowNames
	)
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		if out.Counts, out.Complete, err = tx.CountWorkflows(w, f, mostCounted); err == nil {
			names, err = tx.WorkflowNames(w)
		}
		return err
	})
	if err != nil {
		return apitype.WorkflowCounts{}, err
	}
	for _, s := range atelier.Statuses {
		out.Counts[s] += 0
		out.Total += out.Counts[s]
	}
	out.Tools, out.Models, out.Reasons = names.Tools, names.Models, names.Reasons
	return out, nil
}

// labelledAtOnce is how many workflows one change labels.
const labelledAtOnce = 100

// LabelOld stores what workflows of an earlier version can be filtered by.
func (e *Engine) LabelOld(ctx context.Context) error {
	for n := 1; n > 0 && ctx.Err() == nil; {
		err := e.db.Write(ctx, func(tx *store.Tx) error {
			rows, err := tx.UnlabelledWorkflows(labelledAtOnce, listBytes)
			n = len(rows)
			for _, row := range rows {
				if r, decodeErr := e.decode(row, func() ([]byte, error) { return row.Plan, nil }); decodeErr == nil { // otherwise it has none
					row.Tools, row.Models = r.plan.used()
					if reason := r.endReason(); reason != nil {
						row.Reason = reason.Code
					}
				}
				if err == nil {
					err = tx.LabelWorkflow(row)
				}
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// summary is the workflow as a list shows it, without its thumbnail, and the artifact of
// that.
func (v *view) summary() (s apitype.WorkflowSummary, picture string) {
	s = apitype.WorkflowSummary{
		WorkflowID: string(v.row.ID), Status: v.row.Status, Title: v.plan.shownTitle(), About: v.plan.about(), Kind: orNil(v.plan.kind()), Steps: len(v.plan.Steps), Progress: v.progress(),
		AppSource: orNil(v.state.Terms.App), CreatedAt: v.row.CreatedAt.UTC(), UpdatedAt: v.row.UpdatedAt.UTC(),
		CompletedAt: utc(v.state.EndedAt), Waiting: v.summaryWaiting(), Reason: v.endReason(),
	}
	if v.plan.Template != nil {
		s.TemplateID = orNil(v.plan.Template.ID)
	}
	for i, step := range v.state.Steps {
		cost, byPlan := atelier.Money(0), false
		switch {
		case step.Charged != nil:
			cost, byPlan = step.Charged.Spark, step.Charged.ByPlan
		case !step.Status.Terminal():
			cost, _ = v.price(i)
			byPlan = step.ByPlan
		}
		if s.Cost += cost; byPlan {
			s.CoveredByPlan += cost
		}
		if at := step.StartedAt; at != nil && (s.StartedAt == nil || at.Before(*s.StartedAt)) {
			s.StartedAt = utc(at)
		}
		if step.Status.Terminal() {
			s.StepsDone++
		}
		s.ArtifactCount += len(step.Made)
		for _, m := range step.Made { // the newest picture or clip
			if m.Kind == string(catalog.Image) || m.Kind == string(catalog.Video) {
				picture = m.ID
			}
		}
	}
	return s, picture
}

// endReason says why a workflow failed or was cancelled; nil for any other.
func (r *record) endReason() *apitype.EndReason {
	switch e, c := r.state.Error, r.state.Cancelled; {
	case e != nil:
		return &apitype.EndReason{Code: e.Code, Message: e.Message}
	case c != nil && cancelMessages[c.Reason] != "":
		return &apitype.EndReason{Code: c.Reason, Message: cancelMessages[c.Reason]}
	case c != nil && cancelMessages[string(c.While)] != "":
		return &apitype.EndReason{Code: string(c.While), Message: cancelMessages[string(c.While)]}
	case c != nil && c.Reason == "user_cancelled":
		return &apitype.EndReason{Code: c.Reason, Message: "Its user cancelled it."}
	case c != nil:
		return &apitype.EndReason{Code: "cancelled", Message: c.Reason} // the words of who cancelled it
	}
	return nil
}

// cancelMessages are sentences for the reasons of a cancel, and for what a workflow waited for when it was cancelled.
var cancelMessages = map[string]string{
	"cost_declined":                  "Its cost was declined.",
	"account_suspended":              "The account was suspended.",
	atelier.WaitNoWorker:             "It was cancelled while no connected worker offered its model.",
	string(atelier.WaitSafetyReview): "It was cancelled after the content filter had paused it.",
	string(atelier.WaitCostApproval): "It was cancelled before its cost was approved.",
	string(atelier.WaitCredit):       "It was cancelled while the balance was too low.",
	string(atelier.WaitQuestion):     "It was cancelled before its question was answered.",
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// summaryWaiting says what the workflow waits for: its user, a worker that offers the
// model of a step, or, while no step runs, what the first step waits for.
func (v *view) summaryWaiting() *apitype.Waiting {
	if v.row.Status == atelier.StatusWaitingForUser {
		return v.waiting()
	}
	var first *apitype.Waiting
	running := false
	for i, s := range v.state.Steps {
		running = running || s.Status == atelier.StatusRunning
		switch w := v.queueWaiting(i); {
		case w == nil:
		case w.Reason == atelier.WaitNoWorker:
			return w
		case first == nil:
			first = w
		}
	}
	if running {
		return nil
	}
	return first
}
