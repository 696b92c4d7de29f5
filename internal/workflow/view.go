package workflow

import (
	"cmp"
	"context"
	"errors"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/store"
)

// view is a workflow that is read, with its log and a signer for its artifacts.
type view struct {
	*record
	log      []atelier.Event
	backbone apitype.Backbone
	sign     func(key string) (string, error)
	fails    func(unservedSince time.Time) time.Time // when a job fails that no worker can do
	places   map[atelier.JobID]store.QueuePlace      // of queued jobs, where they were read
	remakes  map[atelier.JobID]store.Remake          // of jobs that fallback workers have done, where they were read
	discount int                                     // of the account's plan on vendor prices, in hundredths of a percent, where it was read
}

// view reads a workflow of an account.
func (e *Engine) view(ctx context.Context, w atelier.Wallet, id atelier.WorkflowID) (*view, error) {
	var (
		row store.StoredWorkflow
		log []atelier.Event
	)
	err := e.db.Snapshot(ctx, func(tx *store.Tx) (err error) {
		if row, err = tx.Workflow(w, id); err != nil {
			return err
		}
		log, err = tx.Events(string(id), -1, maxLog, maxLogBytes)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, errNotFound(id)
	}
	if err != nil {
		return nil, err
	}
	v, err := e.viewOf(ctx, row, log)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(e.addRemakes(ctx, v), e.addDiscounts(ctx, v)); err != nil {
		return nil, err
	}
	return v, e.addPlaces(ctx, v)
}

// The bounds of a log that is read at once, and of a page of a list. The events of a
// render are limited, so that no log comes near; a page of large workflows is
// shorter.
const (
	maxLog      = 10_000
	maxLogBytes = 4 << 20
	listBytes   = 2 << 20
)

func (e *Engine) viewOf(ctx context.Context, row store.StoredWorkflow, log []atelier.Event) (*view, error) {
	r, err := e.decode(row, func() ([]byte, error) { return row.Plan, nil })
	if err != nil {
		return nil, err
	}
	return e.viewIn(ctx, r, log), nil
}

// viewIn is a view of a workflow that was read before.
func (e *Engine) viewIn(ctx context.Context, r *record, log []atelier.Event) *view {
	return &view{record: r, log: log, backbone: e.backbone(), sign: e.signer(ctx), fails: e.fleet.NoWorkerDeadline}
}

// signer signs URLs that read stored objects.
func (e *Engine) signer(ctx context.Context) func(string) (string, error) {
	terms := blob.FixedTerms(e.opts.Now(), e.opts.DownloadTTL)
	return func(key string) (string, error) {
		if marked, ok := strings.CutPrefix(key, previewMark); ok {
			contentType, key, _ := strings.Cut(marked, ":")
			// The object is written to again: its URL is new each time, so that no browser shows an old one. Signatures
			// have whole seconds, and the name of the file has less.
			now := e.opts.Now()
			name := strconv.FormatInt(now.UnixMicro(), 36) + "-" + path.Base(key)
			return e.blobs.GetURL(ctx, key, blob.GetTerms{ContentType: contentType, Filename: name, Until: now.Add(e.opts.DownloadTTL)})
		}
		return e.blobs.GetURL(ctx, key, terms)
	}
}

// Workflow reads a workflow of an account.
func (e *Engine) Workflow(ctx context.Context, w atelier.Wallet, id atelier.WorkflowID) (apitype.Workflow, error) {
	v, err := e.view(ctx, w, id)
	return v.snapshot(), err
}

// Page is a page of a list.
type Page struct {
	Workflows []apitype.Workflow
	Next      *int // the next offset; nil on the last page
}

// List reads the workflows of an account, the one that changed last first.
func (e *Engine) List(ctx context.Context, w atelier.Wallet, offset, limit int) (Page, error) {
	var (
		rows []store.StoredWorkflow
		logs map[string][]atelier.Event
		more bool
	)
	err := e.db.Snapshot(ctx, func(tx *store.Tx) (err error) {
		if rows, more, err = tx.Workflows(w, offset, limit, listBytes); err != nil {
			return err
		}
		for {
			var ids []string
			for _, row := range rows {
				ids = append(ids, string(row.ID))
			}
			var cut bool
			if logs, cut, err = tx.EventsOf(ids, maxLogBytes); err != nil || !cut || len(rows) == 1 {
				return err
			}
			rows, more = rows[:(len(rows)+1)/2], true // their logs are long: fewer of them
		}
	})
	if err != nil {
		return Page{}, err
	}
	p := Page{Workflows: []apitype.Workflow{}}
	if more {
		next := offset + len(rows)
		p.Next = &next
	}
	views := make([]*view, len(rows))
	for i, row := range rows {
		if views[i], err = e.viewOf(ctx, row, logs[string(row.ID)]); err != nil {
			return Page{}, err
		}
	}
	if err := cmp.Or(e.addRemakes(ctx, views...), e.addDiscounts(ctx, views...)); err != nil {
		return Page{}, err
	}
	for _, v := range views {
		one := v.snapshot()
		one.Plan = nil // it repeats other fields: too much for a list
		p.Workflows = append(p.Workflows, one)
	}
	return p, nil
}

// snapshot is the workflow as it is read; zero for a nil view.
func (v *view) snapshot() apitype.Workflow {
	if v == nil {
		return apitype.Workflow{}
	}
	w := apitype.Workflow{
		WorkflowID: string(v.row.ID), Status: v.row.Status, Title: v.plan.Title, Input: v.input(), Steps: []apitype.Step{}, Artifacts: []apitype.Artifact{},
		SafeContentFilter: v.state.Filter, TokenType: v.state.Terms.Token, BillingMode: v.state.Terms.Mode, AppSource: v.state.Terms.App,
		Backbone: v.backbone, EstimatedCapacity: v.plan.Capacity, Error: (*atelier.StepError)(v.state.Error),
		Recovery:   apitype.Recovery{ResumeCount: v.state.Resumes, LastResumeAt: v.state.ResumedAt},
		CreateTime: v.row.CreatedAt.UnixMilli(), UpdateTime: v.row.UpdatedAt.UnixMilli(),
		Timestamps: apitype.Timestamps{CreatedAt: v.row.CreatedAt.UTC(), UpdatedAt: v.row.UpdatedAt.UTC(), CompletedAt: utc(v.state.EndedAt)},
		Note:       v.state.Note, RemakeOf: v.plan.remakeOf(),
	}
	if v.row.Status == atelier.StatusWaitingForUser {
		awaits := v.row.Waiting == atelier.WaitCostApproval
		w.WaitingReason, w.Waiting, w.AwaitingCostApproval = v.row.Waiting, v.waiting(), &awaits
	}
	if n := len(v.state.Previews); n > 0 {
		w.BillingPreviews = v.state.previews()
		w.BillingPreview = &w.BillingPreviews[n-1]
	}
	if t := v.plan.Template; t != nil {
		w.Template = &apitype.WorkflowOrigin{ID: t.ID, Version: t.Version}
	}
	for _, m := range v.plan.Media {
		w.MediaReferences = append(w.MediaReferences, m.Original)
	}
	for i := range v.plan.Steps {
		s := v.step(i)
		w.Steps = append(w.Steps, s)
		w.Artifacts = append(w.Artifacts, s.Artifacts...)
	}
	w.Usage = kindsOf(w.Artifacts)
	w.Events = v.records()
	w.Authorization = v.authorization()
	w.Plan = &apitype.WorkflowPlan{
		WorkflowID: w.WorkflowID, Status: w.Status, Backbone: w.Backbone, Title: w.Title, Input: w.Input, Steps: w.Steps,
		Events: w.Events, Artifacts: w.Artifacts, Timestamps: w.Timestamps,
	}
	return w
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}

func (v *view) input() apitype.WorkflowInput {
	in := apitype.WorkflowInput{Title: v.plan.Title}
	for _, s := range v.plan.Steps {
		in.Steps = append(in.Steps, s.input())
	}
	return in
}

func (v *view) step(i int) apitype.Step {
	p, s := v.plan.Steps[i], v.state.Steps[i]
	out := apitype.Step{
		ID: p.ID, Sequence: i, ToolName: p.ToolName, Arguments: p.Arguments, DependsOn: p.bindings(), Status: s.Status, WaitingReason: s.Waiting, WaitingFor: (*atelier.WaitingFor)(s.NoWorker),
		Progress: s.Progress, Artifacts: []apitype.Artifact{}, Error: (*atelier.StepError)(s.Error), Retry: retry(s), Remake: v.remake(i),
		Input:   apitype.StepArguments{Arguments: p.Arguments, Normalized: p.Normalized},
		Routing: routing(p.Routing), Cost: v.cost(i), Seed: &s.Seed, ProjectID: string(s.ProjectID),
		IdempotencyKey: string(v.row.ID) + ":" + p.ID, Tool: apitype.StepTool{Name: p.ToolName, SchemaVersion: schemaVersion},
		Backbone: v.backbone, Implementation: apitype.Implementation{Runtime: "atelier", Version: routingVersion},
		Timestamps: apitype.StepTimes{StartedAt: utc(s.StartedAt), CompletedAt: utc(s.EndedAt)},
	}
	if s.Preview != "" {
		out.PreviewURL = v.signed(s.Preview)
	}
	if out.Wait = v.queueWaiting(i); s.Status == atelier.StatusWaitingForUser {
		out.Waiting = v.stepWaiting(i)
		out.Wait = out.Waiting
	}
	if out.DependsOn == nil {
		out.DependsOn = []atelier.Binding{}
	}
	if p.Model != "" {
		out.Generation = &apitype.Generation{SelectedModel: p.Model, Params: p.Normalized}
	}
	for _, m := range s.Made {
		ref := v.ref(i, m)
		ref.URL = v.signed(ref.URL)
		out.Artifacts = append(out.Artifacts, ref)
	}
	return out
}

func (v *view) cost(i int) apitype.StepCost {
	cost := apitype.StepCost{Estimate: v.plan.Steps[i].Cost, Actual: (*apitype.ActualCost)(v.state.Steps[i].Charged)}
	var price atelier.Money
	if cost.EstimatedSpark, price = v.price(i); v.plan.Steps[i].Price.Premium && price > cost.EstimatedSpark {
		cost.BeforeDiscount = price
	}
	return cost
}

// price is what was set aside for a step, or what would be now, and its price without the discount of the plan.
func (v *view) price(i int) (held, price atelier.Money) {
	if h := v.state.Steps[i].Held; h != nil {
		return h.Spark, h.Price
	}
	cost := atelier.Cost(v.plan.Steps[i].Price)
	return billing.Discounted(cost, v.discount).Spark, cost.Spark
}

// addDiscounts reads the discount of the plan of an account, where a step that has no job yet may have it. All
// workflows are of one account.
func (e *Engine) addDiscounts(ctx context.Context, views ...*view) error {
	var open []*view
	for _, v := range views {
		for i, s := range v.state.Steps {
			if s.Held == nil && v.plan.Steps[i].Price.Premium && !s.Status.Terminal() {
				open = append(open, v)
				break
			}
		}
	}
	if len(open) == 0 {
		return nil
	}
	return e.db.Read(ctx, func(tx *store.Tx) error {
		funds, err := e.billing.Funds(tx, open[0].row.Wallet, "")
		for _, v := range open {
			v.discount = funds.Discount()
		}
		return err
	})
}

func routing(r catalog.Routing) *apitype.Routing {
	out := &apitype.Routing{SelectedBy: r.SelectedBy, Reasons: r.Reasons, Alternatives: make([]apitype.Alternative, len(r.Alternatives))}
	for i, a := range r.Alternatives {
		out.Alternatives[i] = apitype.Alternative(a)
	}
	return out
}

// retry says how often a step was tried again, and why.
func retry(s stepState) apitype.StepRetry {
	r := apitype.StepRetry{Count: s.Retries, Classification: "none"}
	switch {
	case s.Retries > 0:
		r.Classification = "transient"
	case s.Error != nil:
		r.Classification = "permanent"
	}
	return r
}

// signed turns the marker of a stored object into a signed URL.
func (v *view) signed(url string) string {
	key, ours := cutBlob(url)
	if !ours {
		return url
	}
	signed, err := v.sign(key)
	if err != nil {
		return ""
	}
	return signed
}

func (v *view) records() []apitype.WorkflowEvent {
	out := make([]apitype.WorkflowEvent, 0, len(v.log))
	for _, ev := range v.log {
		out = append(out, recordOf(string(v.row.ID), ev, v.signed))
	}
	return out
}

// recordOf is the event record of an event.
func recordOf(id string, ev atelier.Event, signed func(string) string) apitype.WorkflowEvent {
	payload := apitype.MapURLs(ev.Payload, signed)
	at := ev.At.UTC()
	return apitype.WorkflowEvent{
		Sequence: ev.Sequence, Type: ev.Type, At: at, Payload: payload, ID: id + ":" + strconv.FormatInt(ev.Sequence, 10),
		WorkflowID: id, Timestamp: at, Message: ev.Message, Data: payload,
	}
}
