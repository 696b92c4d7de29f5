package workflow

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/lora"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
)

// A step that a fallback worker has rendered, in place of one with the model, is made again free
// of charge: once, by a worker that is no fallback, and exactly as it was ordered. A workflow of
// one step does so. Its job is a copy of the earlier one, so that a request cannot ask for anything
// that was not paid for.

// RemakeRequest asks for it.
type RemakeRequest struct {
	Key    string             `json:"-"` // idempotency key, or empty
	Source atelier.WorkflowID // the workflow of the step
	StepID string

	Weigh func(bytes int) error `json:"-"` // as in StartRequest
}

// RemakeRef names the step that a workflow makes again, and its job.
type RemakeRef struct {
	WorkflowID atelier.WorkflowID `json:"workflowId"`
	StepID     string             `json:"stepId"`
	JobID      atelier.JobID      `json:"jobId"`
}

// Why a step cannot be made again, as the details of the refusal have it.
const (
	notCompleted   = "not_completed"
	notByFallback  = "not_by_fallback"
	ofVendor       = "vendor_model"
	noWorkerForNow = "no_worker"
	inputsGone     = "inputs_gone"
)

func notRemakable(why, message string, args ...any) error {
	return atelier.Errorf(atelier.CodeNotRemakable, message, args...).With("reason", why)
}

// Remake starts a workflow that makes a step of a workflow of an account again.
func (e *Engine) Remake(ctx context.Context, owner atelier.Account, q RemakeRequest) (Started, error) {
	digest := "remake/" + digestOf(q)
	if again, err := e.remade(ctx, owner.Wallet, q.Key, digest); err != nil || again != nil {
		return Started{Workflow: again.snapshot(), Idempotent: true}, err
	}
	v, err := e.view(ctx, owner.Wallet, q.Source)
	if err != nil {
		return Started{}, err
	}
	i := slices.IndexFunc(v.plan.Steps, func(p planStep) bool { return p.ID == q.StepID })
	if i < 0 {
		return Started{}, atelier.Missing("stepId", q.StepID, "step of this workflow")
	}
	if err := v.mayRemake(i); err != nil {
		return Started{}, err
	}
	j, err := e.remakeJob(ctx, v.state.Steps[i].JobID)
	if err != nil {
		return Started{}, err
	}
	d, err := e.remake(ctx, v, i, j)
	if err != nil {
		return Started{}, err
	}
	terms := freeTerms
	terms.App = v.state.Terms.App
	r, err := e.prepare(ctx, e.opts.Filter, owner, d, []int64{j.Spec.Seed}, StartRequest{Terms: terms, Filter: v.state.Filter, Weigh: q.Weigh})
	if err != nil {
		return Started{}, err
	}
	return e.accept(ctx, r, acceptance{key: q.Key, digest: digest})
}

// remade finds what an earlier request with the same key has started.
func (e *Engine) remade(ctx context.Context, w atelier.Wallet, key, digest string) (*view, error) {
	earlier, err := e.db.FindIdempotencyRecord(ctx, w, startScope, key)
	if err == nil {
		err = earlier.Check(digest)
	}
	if err != nil || earlier == nil {
		return nil, err
	}
	return e.view(ctx, w, atelier.WorkflowID(earlier.Resource))
}

// byFallback reports whether a fallback worker has made what a step has, in place of a worker with
// its model.
func (r *record) byFallback(i int) bool {
	s := r.state.Steps[i]
	return s.Status == atelier.StatusCompleted && s.JobID != "" && slices.ContainsFunc(s.Made, func(m made) bool {
		preview, _ := m.Metadata["preview"].(bool)
		return preview
	})
}

// mayRemake refuses to make a step again that must not be, or cannot be now.
func (v *view) mayRemake(i int) error {
	p, s := v.plan.Steps[i], v.state.Steps[i]
	again, known := v.remakes[s.JobID]
	switch {
	case s.Status != atelier.StatusCompleted: // of a part of the results only a part was paid
		return notRemakable(notCompleted, "The step %q is %s: only what is completed is made again.", p.ID, s.Status)
	case !v.byFallback(i):
		return notRemakable(notByFallback, "No fallback worker has made the step %q: it is as its model makes it.", p.ID)
	case p.Price.Premium:
		return notRemakable(ofVendor, "The step %q is of a vendor's model, which is paid for each time.", p.ID)
	case !known:
		return errRemakeGone()
	case again.By != "":
		return errRemade(again.By)
	case !again.Served:
		return notRemakable(noWorkerForNow, "No worker with the model of the step %q is connected now. Try again when one is.", p.ID)
	}
	return nil
}

func errRemade(by atelier.WorkflowID) error {
	return atelier.Errorf(atelier.CodeAlreadyRemade, "The step was made again before, or is being made again.").With("remakeWorkflowId", by)
}

func errRemakeGone() error {
	return notRemakable(inputsGone, "The step cannot be made again: what it was made from is deleted.")
}

// remakeJob reads the job that is made again.
func (e *Engine) remakeJob(ctx context.Context, id atelier.JobID) (j store.StoredJob, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) (err error) {
		j, err = tx.Job(id)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		err = errRemakeGone()
	}
	return j, err
}

// remake plans the workflow that makes a step again. The files that its job reads must still be
// there.
func (e *Engine) remake(ctx context.Context, v *view, i int, j store.StoredJob) (*draft, error) {
	from := v.plan.Steps[i]
	s := planStep{
		ID: from.ID, ToolName: from.ToolName, Arguments: from.Arguments, Normalized: from.Normalized, Kind: from.Kind, Count: ordered(j.Spec),
		Model: from.Model, Routing: from.Routing, Personal: from.Personal, Price: costDocument{Render: true, Free: atelier.FreeRemake},
	}
	d := &draft{catalog: e.catalog, files: map[int]fileState{}}
	for _, in := range filesOf(j.Spec) {
		found, err := e.ownObject(ctx, v.row.Wallet, in.Key)
		if err != nil {
			return nil, err
		}
		if found == nil {
			return nil, errRemakeGone()
		}
		n := len(d.plan.Files)
		d.plan.Files = append(d.plan.Files, file{Kind: in.Kind, Used: true})
		d.files[n] = *found
		s.Sources = append(s.Sources, source{Argument: in.Argument, Kind: catalog.Kind(in.Kind), Step: -1, File: n})
	}
	d.plan.Title, d.plan.Steps = v.plan.Title, []planStep{s}
	d.plan.Remake = &RemakeRef{WorkflowID: v.row.ID, StepID: from.ID, JobID: j.ID}
	return d, nil
}

// filesOf are the stored files that a job reads or whose addresses it passes on.
func filesOf(s atelier.JobSpec) (out []atelier.JobInput) {
	for _, in := range s.Inputs {
		if in.Key != "" {
			out = append(out, in)
		}
	}
	for _, argument := range slices.Sorted(maps.Keys(s.Links)) {
		out = append(out, atelier.JobInput{Argument: argument, Key: s.Links[argument]})
	}
	return out
}

// ordered is how many results a job should make, without the last frames of clips.
func ordered(s atelier.JobSpec) (n int) {
	for _, slot := range s.Artifacts {
		if !strings.HasSuffix(slot.ID, fleet.LastFrame) {
			n++
		}
	}
	return n
}

// claimRemake records that a new workflow makes a step again, which it alone may. The step may be
// gone since it was read: to make space, a start deletes workflows that are over.
func (e *Engine) claimRemake(tx *store.Tx, r *record) error {
	ref := r.plan.Remake
	if ref == nil {
		return nil
	}
	first, err := tx.InsertRemake(ref.JobID, ref.WorkflowID, r.row.ID, r.now)
	if err != nil {
		return err
	}
	found, err := tx.Remakes([]atelier.JobID{ref.JobID})
	again, known := found[ref.JobID]
	switch {
	case err != nil:
		return err
	case !known:
		return errRemakeGone()
	case !first:
		return errRemade(again.By)
	}
	return nil
}

// endRemake gives the right to make a step again back when the workflow that was to do so has
// ended without a result.
func (e *Engine) endRemake(tx *store.Tx, r *record) error {
	if r.plan.Remake == nil || !r.row.Status.Terminal() || slices.ContainsFunc(r.state.Steps, func(s stepState) bool { return len(s.Made) > 0 }) {
		return nil
	}
	return tx.DeleteRemake(r.row.ID)
}

// dispatchRemake submits the job of a workflow that makes a step again: a copy of the earlier one,
// free of charge, which no fallback worker gets. What depends on the account is as it is now.
func (e *Engine) dispatchRemake(tx *store.Tx, r *record, filtered bool) error {
	ref := r.plan.Remake
	earlier, err := tx.Job(ref.JobID)
	if errors.Is(err, store.ErrNotFound) {
		return errRemakeGone()
	}
	if err != nil {
		return err
	}
	model, _ := e.catalog.Model(r.plan.Steps[0].Model)
	spec := earlier.Spec
	spec.SafeContentFilter, spec.Artifacts = filtered, newSlots(earlier.Spec.Artifacts)
	spec.ConcurrencyClass, spec.ConcurrencyLimit = "", 0
	if err := e.limitConcurrency(tx, r, &spec, model); err != nil {
		return err
	}
	if spec.Loras, err = e.remakeLoras(tx, r, model, earlier.Spec.Loras); err != nil {
		return err
	}
	return e.submit(tx, r, 0, fleet.Submission{
		Network: earlier.Network, Spec: spec, Terms: atelier.PaymentTerms(r.state.Terms), Cost: atelier.Cost(r.plan.Steps[0].Price), NoFallback: true,
	})
}

// newSlots are slots for the same results as those of an earlier job.
func newSlots(earlier []atelier.JobArtifact) []atelier.JobArtifact {
	out, ids := slices.Clone(earlier), map[string]string{}
	for i, slot := range out {
		id, isFrame := strings.CutSuffix(slot.ID, fleet.LastFrame)
		if ids[id] == "" {
			ids[id] = mint.OrderedUUID()
		}
		if out[i].ID = ids[id]; isFrame {
			out[i].ID += fleet.LastFrame
		}
	}
	return out
}

// remakeLoras are the LoRAs of an earlier job, as far as the account may still use them: of its
// personal ones, with the files that they have now.
func (e *Engine) remakeLoras(tx *store.Tx, r *record, model *catalog.Model, earlier []atelier.JobLora) ([]atelier.JobLora, error) {
	var uses []catalog.LoraUse
	for _, use := range r.plan.Steps[0].Personal {
		uses = append(uses, catalog.LoraUse(use))
	}
	public := slices.DeleteFunc(slices.Clone(earlier), func(l atelier.JobLora) bool { return l.Personal != nil })
	personal, err := lora.Resolve(tx, r.row.Wallet, model, uses, r.now)
	return append(public, personal...), err
}

// addRemakes reads what is known about making again what fallback workers have made of workflows.
func (e *Engine) addRemakes(ctx context.Context, views ...*view) error {
	var jobs []atelier.JobID
	for _, v := range views {
		for i, s := range v.state.Steps {
			if v.byFallback(i) {
				jobs = append(jobs, s.JobID)
			}
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	return e.db.Read(ctx, func(tx *store.Tx) error {
		found, err := tx.Remakes(jobs)
		for _, v := range views {
			v.remakes = found
		}
		return err
	})
}

// remake is whether a step can be made again, or was; nil for one that cannot now.
func (v *view) remake(i int) *apitype.StepRemake {
	again, known := v.remakes[v.state.Steps[i].JobID]
	switch {
	case !known || !v.byFallback(i):
		return nil
	case again.By != "":
		return &apitype.StepRemake{State: apitype.RemakeUsed, WorkflowID: string(again.By)}
	case v.mayRemake(i) == nil:
		return &apitype.StepRemake{State: apitype.RemakeAvailable}
	}
	return nil
}

// remakeOf is the step that a workflow makes again, or nil.
func (p plan) remakeOf() *apitype.RemakeOf {
	if p.Remake == nil {
		return nil
	}
	return &apitype.RemakeOf{WorkflowID: string(p.Remake.WorkflowID), StepID: p.Remake.StepID}
}
