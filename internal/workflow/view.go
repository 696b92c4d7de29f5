package workflow

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/workflow/snapshot"
)

// view is a workflow that is read, with its log and a signer for its artifacts.
type view struct {
	*record
	log      []atelier.Event
	backbone snapshot.Backbone
	sign     func(key string) (string, error)
	fails    func(unservedSince time.Time) time.Time // when a job fails that no worker can do
	places   map[atelier.JobID]store.QueuePlace      // of queued jobs, where they were read
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
		if marked, ok := strings.CutPrefix(key, previewMark); ok { // it is written to again: the URL is new each time, so that no browser shows an old one
			contentType, key, _ := strings.Cut(marked, ":")
			return e.blobs.GetURL(ctx, key, blob.GetTerms{ContentType: contentType, Until: e.opts.Now().Add(e.opts.DownloadTTL)})
		}
		return e.blobs.GetURL(ctx, key, terms)
	}
}

// Workflow reads a workflow of an account.
func (e *Engine) Workflow(ctx context.Context, w atelier.Wallet, id atelier.WorkflowID) (snapshot.Workflow, error) {
	v, err := e.view(ctx, w, id)
	return v.snapshot(), err
}

// Page is a page of a list.
type Page struct {
	Workflows []snapshot.Workflow
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
	p := Page{Workflows: []snapshot.Workflow{}}
	if more {
		next := offset + len(rows)
		p.Next = &next
	}
	for _, row := range rows {
		v, err := e.viewOf(ctx, row, logs[string(row.ID)])
		if err != nil {
			return Page{}, err
		}
		one := v.snapshot()
		one.Plan = nil // it repeats other fields: too much for a list
		p.Workflows = append(p.Workflows, one)
	}
	return p, nil
}

// snapshot is the workflow as it is read; zero for a nil view.
func (v *view) snapshot() snapshot.Workflow {
	if v == nil {
		return snapshot.Workflow{}
	}
	w := snapshot.Workflow{
		WorkflowID: string(v.row.ID), Status: v.row.Status, Title: v.plan.Title, Input: v.input(), Steps: []snapshot.Step{}, Artifacts: []snapshot.ArtifactRef{},
		SafeContentFilter: v.state.Filter, TokenType: v.state.Terms.Token, BillingMode: v.state.Terms.Mode, AppSource: v.state.Terms.App,
		Backbone: v.backbone, EstimatedCapacity: v.plan.Capacity, Error: (*atelier.StepError)(v.state.Error),
		Recovery:   snapshot.Recovery{ResumeCount: v.state.Resumes, LastResumeAt: v.state.ResumedAt},
		CreateTime: v.row.CreatedAt.UnixMilli(), UpdateTime: v.row.UpdatedAt.UnixMilli(),
		Timestamps: snapshot.Timestamps{CreatedAt: v.row.CreatedAt.UTC(), UpdatedAt: v.row.UpdatedAt.UTC(), CompletedAt: utc(v.state.EndedAt)},
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
		w.Template = &snapshot.WorkflowOrigin{ID: t.ID, Version: t.Version}
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
	w.Plan = &snapshot.WorkflowPlan{
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

func (v *view) input() snapshot.WorkflowInput {
	in := snapshot.WorkflowInput{Title: v.plan.Title}
	for _, s := range v.plan.Steps {
		in.Steps = append(in.Steps, s.input())
	}
	return in
}

func (v *view) step(i int) snapshot.Step {
	p, s := v.plan.Steps[i], v.state.Steps[i]
	out := snapshot.Step{
		ID: p.ID, Sequence: i, ToolName: p.ToolName, Arguments: p.Arguments, DependsOn: p.bindings(), Status: s.Status, WaitingReason: s.Waiting, WaitingFor: (*atelier.WaitingFor)(s.NoWorker),
		Progress: s.Progress, Artifacts: []snapshot.ArtifactRef{}, Error: (*atelier.StepError)(s.Error), Retry: retry(s),
		Input:   snapshot.StepArguments{Arguments: p.Arguments, Normalized: p.Normalized},
		Routing: p.Routing, Cost: snapshot.StepCost{Estimate: p.Cost, EstimatedSpark: p.Price.Spark, Actual: (*snapshot.ActualCost)(s.Charged)}, Seed: &s.Seed, ProjectID: string(s.ProjectID),
		IdempotencyKey: string(v.row.ID) + ":" + p.ID, Tool: snapshot.StepTool{Name: p.ToolName, SchemaVersion: schemaVersion},
		Backbone: v.backbone, Implementation: snapshot.Implementation{Runtime: "atelier", Version: routingVersion},
		Timestamps: snapshot.StepTimes{StartedAt: utc(s.StartedAt), CompletedAt: utc(s.EndedAt)},
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
		out.Generation = &snapshot.Generation{SelectedModel: p.Model, Params: p.Normalized}
	}
	for _, m := range s.Made {
		ref := v.ref(i, m)
		ref.URL = v.signed(ref.URL)
		out.Artifacts = append(out.Artifacts, ref)
	}
	return out
}

// retry says how often a step was tried again, and why.
func retry(s stepState) snapshot.StepRetry {
	r := snapshot.StepRetry{Count: s.Retries, Classification: "none"}
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

func (v *view) records() []snapshot.EventRecord {
	out := make([]snapshot.EventRecord, 0, len(v.log))
	for _, ev := range v.log {
		out = append(out, recordOf(string(v.row.ID), ev, v.signed))
	}
	return out
}

// recordOf is the event record of an event.
func recordOf(id string, ev atelier.Event, signed func(string) string) snapshot.EventRecord {
	payload := signPayload(ev, signed)
	at := ev.At.UTC()
	return snapshot.EventRecord{
		Sequence: ev.Sequence, Type: ev.Type, At: at, Payload: payload, ID: id + ":" + strconv.FormatInt(ev.Sequence, 10),
		WorkflowID: id, Timestamp: at, Message: ev.Message, Data: payload,
	}
}

// signPayload signs the URLs of the artifacts in the payload of an event.
func signPayload(ev atelier.Event, signed func(string) string) map[string]any {
	switch ev.Type {
	case atelier.EventArtifactCreated:
		return signRef(ev.Payload, "url", signed)
	case atelier.EventWorkflowProgress:
		return signRef(ev.Payload, "previewUrl", signed)
	case atelier.EventStepCompleted, atelier.EventWorkflowCompleted:
	default:
		if ev.Payload == nil {
			return map[string]any{}
		}
		return ev.Payload
	}
	refs, _ := ev.Payload["artifacts"].([]any)
	list := make([]any, len(refs))
	for i, ref := range refs {
		fields, _ := ref.(map[string]any)
		list[i] = signRef(fields, "url", signed)
	}
	out := make(map[string]any, len(ev.Payload))
	for k, v := range ev.Payload {
		out[k] = v
	}
	out["artifacts"] = list
	return out
}

func signRef(ref map[string]any, name string, signed func(string) string) map[string]any {
	out := make(map[string]any, len(ref))
	for k, v := range ref {
		out[k] = v
	}
	if url, ok := ref[name].(string); ok {
		out[name] = signed(url)
	}
	return out
}
