package workflow

import (
	"cmp"
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/filter"
	"github.com/atelier-project/atelier/internal/lora"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/wire"
)

// StartRequest asks for a workflow.
type StartRequest struct {
	Key         string // idempotency key, or empty
	Title       string
	Steps       []atelier.StepInput // an argument that takes an index may hold an atelier.MediaReference instead
	Media       []atelier.MediaReference
	Terms       atelier.PaymentTerms
	Limits      *atelier.KeyLimits // of the API key that asks; nil for none
	MaxUnits    *float64           // the most the plan may be estimated at
	ConfirmCost *bool              // false refuses a plan that costs anything
	Filter      bool               // whether content is filtered

	// TemplateID and Inputs name a template that makes the plan, in place of the title and
	// the steps.
	TemplateID string
	Inputs     map[string]any

	// Continues names an earlier workflow of the account, in whose place the plan does what is
	// left: the new workflow is of the same template.
	Continues atelier.WorkflowID

	Approve  bool // the cost is approved before anything is dispatched
	Approved bool // the user has approved the cost as it is estimated

	// Weigh, if it is set, is called with the size of the stored plan before it is
	// stored, and may refuse it.
	Weigh func(bytes int) error

	OnStart OnStart // nil when the caller does not record the start

	Webhook *atelier.RequestWebhook // that gets the events of the workflow; may be nil

	Protocol string   // of another service by which it was asked for; empty for none
	Note     wire.Raw // JSON that the protocol keeps with the workflow; nil for none
}

// By is the request as a caller asks for it: its key pays on its budget, and limits the tools and models of the plan.
func (q StartRequest) By(c atelier.Caller) StartRequest {
	q.Terms.Key, q.Limits = c.PaysAs(), c.Limits
	return q
}

// OnStart records that a workflow was started, in the transaction that stores it.
type OnStart func(tx *store.Tx, id atelier.WorkflowID) error

// maxPlan bounds a plan as it is stored.
const maxPlan = 256 << 10

// Started is a workflow that was started, by this request or by an earlier one with the
// same key.
type Started struct {
	Workflow   apitype.Workflow
	Idempotent bool
}

// startScope is the scope of the keys of starts and reseeds.
const startScope = "workflow"

// Start checks a plan, prices it and starts it. What it accepts is durable when
// it returns.
func (e *Engine) Start(ctx context.Context, owner atelier.Account, q StartRequest) (Started, error) {
	if again, err := e.repeated(ctx, owner.Wallet, q.Key); err != nil || again != nil {
		return Started{Workflow: again.snapshot(), Idempotent: true}, err
	}
	if q.Webhook != nil {
		if err := e.opts.Webhooks.CheckURL("webhook.url", q.Webhook.URL); err != nil {
			return Started{}, err
		}
	}
	d, err := e.plan(ctx, owner.Wallet, q)
	if err != nil {
		return Started{}, err
	}
	started, err := e.start(ctx, owner, d, q)
	return started, d.refused(err)
}

func (e *Engine) start(ctx context.Context, owner atelier.Account, d *draft, q StartRequest) (Started, error) {
	if err := e.mayAfford(ctx, owner.Wallet, &d.plan); err != nil {
		return Started{}, err
	}
	if err := checkEstimate(q, d.plan.Capacity); err != nil {
		return Started{}, err
	}
	r, err := e.prepare(ctx, e.opts.Filter, owner, d, seeds(&d.plan), q)
	if err != nil {
		return Started{}, err
	}
	return e.accept(ctx, r, acceptance{key: q.Key, onStart: q.OnStart})
}

// plan makes the plan of a request of an account and prices it. It refuses tools and models that the key of the
// request may not use.
func (e *Engine) plan(ctx context.Context, w atelier.Wallet, q StartRequest) (*draft, error) {
	d, err := e.planAny(ctx, w, q)
	if err == nil {
		err = d.plan.checkLimits(q.Limits)
	}
	return d, err
}

// checkLimits refuses a plan with a tool or a model that a key may not use.
func (p *plan) checkLimits(l *atelier.KeyLimits) error {
	if l == nil {
		return nil
	}
	for i, s := range p.Steps {
		field, err := "toolName", l.CheckTool(s.ToolName)
		if err == nil && s.Model != "" {
			field, err = "arguments.model", l.CheckModel(s.Model)
		}
		if err != nil {
			return atelier.At(stepField(i, field), err)
		}
	}
	return nil
}

// planAny makes the plan of a request of an account and prices it.
func (e *Engine) planAny(ctx context.Context, w atelier.Wallet, q StartRequest) (*draft, error) {
	if q.TemplateID != "" {
		return e.planTemplate(ctx, w, q)
	}
	d, err := compile(e.catalog, q.Title, q.Steps, q.Media, e.finder(ctx, w))
	if err != nil || q.Continues == "" {
		return d, err
	}
	before, err := e.view(ctx, w, q.Continues)
	if atelier.HasCode(err, atelier.CodeNotFound) {
		return nil, atelier.Missing("continues", string(q.Continues), "workflow")
	}
	if err != nil {
		return nil, err
	}
	d.plan.Template = before.plan.Template
	return d, nil
}

// planTemplate makes the plan of the template that a request names.
func (e *Engine) planTemplate(ctx context.Context, w atelier.Wallet, q StartRequest) (*draft, error) {
	made, err := e.opts.Templates.Plan(ctx, w, q.TemplateID, template.Request{
		Inputs: q.Inputs, Media: q.Media,
		AssetURL: func(ctx context.Context, id string) (url, kind string, err error) {
			return e.opts.Media.AssetURL(ctx, w, id)
		},
	})
	if atelier.HasCode(err, atelier.CodeNotFound) {
		return nil, atelier.Missing("workflow_id", q.TemplateID, "template")
	}
	if err != nil {
		return nil, template.Refused(err, nil)
	}
	d, err := compile(e.catalog, made.Title, made.Steps, made.Media, e.finder(ctx, w))
	if err != nil {
		return nil, template.Refused(err, made.Warnings)
	}
	d.isOfTemplate, d.warnings = true, made.Warnings
	d.plan.Template = &TemplateRef{ID: made.ID, Version: made.Version, Inputs: q.Inputs}
	return d, nil
}

// refused is the refusal of a plan as its caller knows it: of the template, where one made
// the plan.
func (d *draft) refused(err error) error {
	if !d.isOfTemplate {
		return err
	}
	return template.Refused(err, d.warnings)
}

// repeated finds the workflow that a key has started.
func (e *Engine) repeated(ctx context.Context, w atelier.Wallet, key string) (*view, error) {
	earlier, err := e.db.FindIdempotencyRecord(ctx, w, startScope, key)
	if err != nil || earlier == nil {
		return nil, err
	}
	return e.view(ctx, w, atelier.WorkflowID(earlier.Resource))
}

// mayAfford refuses a plan with vendor models to an account without Premium
// Spark.
func (e *Engine) mayAfford(ctx context.Context, w atelier.Wallet, p *plan) error {
	var vendors []string
	for _, s := range p.Steps {
		if s.Price.Premium {
			vendors = append(vendors, s.Model)
		}
	}
	if vendors == nil {
		return nil
	}
	balance, err := e.billing.Balance(ctx, w)
	if err != nil || balance.Spark.PremiumCredit > 0 {
		return err
	}
	return atelier.Errorf(atelier.CodePremiumRequired, "This plan uses vendor models, which are paid with Premium Spark, and the account has none.").
		With("vendorModels", vendors)
}

func checkEstimate(q StartRequest, capacity int) error {
	switch {
	case q.ConfirmCost != nil && !*q.ConfirmCost && capacity > 0:
		return atelier.Errorf(atelier.CodeConfirmCost, "confirm_cost is false, and this plan is estimated at %d capacity units: send true to start it.", capacity).
			With("estimatedCapacity", capacity).With("confirmationRequired", true)
	case q.MaxUnits != nil && float64(capacity) > *q.MaxUnits:
		return atelier.Errorf(atelier.CodeCapacityExceeded, "max_estimated_capacity_units is %g, but this plan is estimated at %d.", *q.MaxUnits, capacity).
			With("estimatedCapacity", capacity)
	}
	return nil
}

// maxSeed is the largest seed there is.
const maxSeed = 1<<32 - 1

// seeds chooses a seed for each step: its own, where it has one.
func seeds(p *plan) []int64 {
	out := make([]int64, len(p.Steps))
	for i, s := range p.Steps {
		if given, ok := s.Normalized["seed"].(float64); ok && given >= 0 {
			out[i] = int64(given)
		} else {
			out[i] = rand.Int64N(maxSeed + 1)
		}
	}
	return out
}

// prepare makes the record of a draft. Everything that needs other services than the
// database happens here.
func (e *Engine) prepare(ctx context.Context, by *filter.Filter, owner atelier.Account, d *draft, seeds []int64, q StartRequest) (*record, error) {
	p := &d.plan
	if err := e.review(ctx, by, owner, p, q.Filter); err != nil {
		return nil, err
	}
	if err := e.checkLoras(ctx, owner.Wallet, p); err != nil {
		return nil, err
	}
	now := e.now()
	text, err := storedPlan(p, q)
	if err != nil {
		return nil, err
	}
	r := &record{plan: *p, now: now, row: store.StoredWorkflow{ID: atelier.WorkflowID(idPrefix + mint.OrderedUUID()), Head: store.Head{Wallet: owner.Wallet, CreatedAt: now}, Plan: text}}
	r.row.Kind, r.row.Texts = p.kind(), p.texts()
	r.row.Tools, r.row.Models = p.used()
	if p.Template != nil {
		r.row.TemplateID = p.Template.ID
	}
	r.state = state{Terms: termsDocument(q.Terms), Filter: q.Filter, Approved: q.Approved, Webhook: q.Webhook, Note: q.Note}
	r.row.Protocol = q.Protocol
	for n := range p.Files {
		r.state.Files = append(r.state.Files, d.files[n])
	}
	for _, seed := range seeds {
		r.state.Steps = append(r.state.Steps, stepState{Status: atelier.StatusQueued, Seed: seed})
	}
	if q.Approve {
		r.state.Approval = &approval{}
		r.state.Previews = []previewDocument{previewDocument(e.preview(p, q.Terms, now))}
	}
	return r, nil
}

// storedPlan is a plan as it is stored. It refuses one that is too large.
func storedPlan(p *plan, q StartRequest) ([]byte, error) {
	text, err := wire.Marshal(*p)
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxPlan:
		field := "input"
		if p.Template != nil {
			field = "inputs"
		}
		return nil, atelier.Refuse(field, "makes a plan of %d bytes; the limit is %d. Shorten its texts, or split it into several workflows.", len(text), maxPlan)
	case q.Weigh != nil:
		return text, q.Weigh(len(text) + len(q.Note))
	}
	return text, nil
}

// preview is the cost that the user is asked to approve.
func (e *Engine) preview(p *plan, terms atelier.PaymentTerms, now time.Time) atelier.CostPreview {
	token := terms.Token
	for _, s := range p.Steps {
		if s.Price.Premium {
			token = atelier.PaySpark // vendors accept nothing else
		}
	}
	return atelier.CostPreview{
		TotalEstimatedCapacityUnits: float64(p.Capacity), TokenType: token, ValidityUntil: now.Add(e.opts.PreviewTTL).UTC().Truncate(time.Millisecond),
	}
}

// checkLoras refuses a plan with a personal LoRA that the account cannot use. Each step
// checks it again when it is dispatched.
func (e *Engine) checkLoras(ctx context.Context, w atelier.Wallet, p *plan) error {
	for i, s := range p.Steps {
		if len(s.Personal) == 0 {
			continue
		}
		model, _ := e.catalog.Model(s.Model)
		var uses []catalog.LoraUse
		for _, use := range s.Personal {
			uses = append(uses, catalog.LoraUse(use))
		}
		err := e.db.Read(ctx, func(tx *store.Tx) error {
			_, err := lora.Resolve(tx, w, model, uses, e.now())
			return err
		})
		if err != nil {
			return beneath(stepField(i, ""), err)
		}
	}
	return nil
}

// review asks a content filter about every step.
func (e *Engine) review(ctx context.Context, by *filter.Filter, owner atelier.Account, p *plan, filtered bool) error {
	for i := range p.Steps {
		tool, _ := e.catalog.Tool(p.Steps[i].ToolName)
		verdict, err := by.CheckArguments(ctx, tool, p.Steps[i].Normalized)
		if err != nil && (filtered || !owner.Unfiltered) {
			e.opts.Log.Warn("content filter request failed", "error", err)
			return atelier.Errorf(atelier.CodeUnavailable, "The content filter is not available. Try again later.")
		}
		p.Steps[i].Flagged = verdict.Categories
	}
	return nil
}

// acceptance is what is stored with a new workflow.
type acceptance struct {
	key, digest, answer string // of the idempotency record
	onStart             OnStart
}

// accept stores a new workflow and everything that follows from it in one transaction,
// unless the key has started one meanwhile.
func (e *Engine) accept(ctx context.Context, r *record, a acceptance) (Started, error) {
	if err := e.checkServiceCapacity(ctx); err != nil {
		return Started{}, err
	}
	var before *store.IdempotencyRecord
	fresh := *r
	err := e.db.WriteStart(ctx, r.row.Wallet, r.now, func(tx *store.Tx) error {
		*r = fresh.copy() // the function may run again
		active, err := tx.LockForWork(r.row.Wallet)
		if err != nil {
			return err
		}
		if !active { // since the request was authenticated
			return &atelier.Error{Code: atelier.CodeAccountSuspended}
		}
		claim := store.IdempotencyRecord{Wallet: r.row.Wallet, Scope: startScope, Key: a.key, Resource: string(r.row.ID), Digest: a.digest, Answer: a.answer}
		before, err = tx.Once(claim, r.now, func() error { return e.insert(tx, r, a) })
		return err
	})
	if err != nil {
		return Started{}, err
	}
	if before == nil {
		e.active.add()
		e.plans.add(r.row.ID, r.plan, r.row.Plan) // the hook of the first job needs it at once
		v := e.viewIn(ctx, r, r.log.Stored)
		if err := cmp.Or(e.addPlaces(ctx, v), e.addDiscounts(ctx, v)); err != nil { // it is started all the same
			e.opts.Log.Warn("read queue places and discounts failed", "error", err)
		}
		return Started{Workflow: v.snapshot()}, nil
	}
	if a.digest != "" {
		if err := before.Check(a.digest); err != nil {
			return Started{}, err
		}
	}
	v, err := e.view(ctx, r.row.Wallet, atelier.WorkflowID(before.Resource))
	return Started{Workflow: v.snapshot(), Idempotent: true}, err
}

// insert stores a new workflow, with its first jobs.
func (e *Engine) insert(tx *store.Tx, r *record, a acceptance) error {
	if err := e.underCap(tx, r.row.Wallet); err != nil {
		return err
	}
	if err := useFiles(tx, r); err != nil {
		return err
	}
	if r.state.Webhook != nil {
		if err := e.opts.Webhooks.Admit(tx, r.row.Wallet); err != nil {
			return err
		}
	}
	if err := e.claimRemake(tx, r); err != nil {
		return err
	}
	if err := r.begin(); err != nil {
		return err
	}
	if err := e.drive(tx, r); err != nil {
		return err
	}
	if err := e.save(tx, r, true); err != nil || a.onStart == nil {
		return err
	}
	return a.onStart(tx, r.row.ID)
}

// copy copies a record, so that a change can run again from the same state.
func (r *record) copy() record {
	c := *r
	c.state.Steps = append([]stepState(nil), r.state.Steps...)
	c.state.Files = append([]fileState(nil), r.state.Files...)
	return c
}

// underCap refuses an account that has too many workflows active, or paused: an accepted
// one may pause at any step. The caller must have locked the account.
func (e *Engine) underCap(tx *store.Tx, w atelier.Wallet) error {
	active, paused, err := tx.CountUnfinished(w)
	switch {
	case err != nil:
		return err
	case active >= e.opts.ActiveLimit:
		return atelier.Errorf(atelier.CodeActiveWorkflows, "%d workflows of this account are queued or running; the limit is %d.", active, e.opts.ActiveLimit).
			With("activeWorkflowCount", active).With("activeWorkflowLimit", e.opts.ActiveLimit)
	case e.opts.PausedLimit > 0 && paused >= e.opts.PausedLimit:
		return atelier.Errorf(atelier.CodePausedWorkflows, "%d workflows of this account are paused; the limit is %d. Resume or cancel one.", paused, e.opts.PausedLimit).
			With("pausedWorkflowCount", paused).With("pausedWorkflowLimit", e.opts.PausedLimit)
	}
	return nil
}

// begin sets the first status of a workflow and emits its first events.
func (r *record) begin() error {
	to, why := atelier.StatusQueued, atelier.WaitingReason("")
	if r.awaitsApproval() {
		to, why = atelier.StatusWaitingForUser, atelier.WaitCostApproval
	}
	if err := r.move(to, why); err != nil {
		return err
	}
	r.emit("", apitype.WorkflowStarted{WorkflowID: string(r.row.ID), StepCount: len(r.plan.Steps), Title: r.plan.Title})
	if r.awaitsApproval() {
		preview := atelier.CostPreview(r.state.Previews[0])
		r.emit(approvalMessage, apitype.WorkflowWaiting{Reason: why, Message: approvalMessage, Preview: &preview, Details: *r.waiting().Details})
	}
	return nil
}

// activeCount caches how many workflows of all accounts are active.
type activeCount struct {
	mu    sync.Mutex
	at    time.Time
	count int
}

// add counts a workflow that was started since the last count.
func (c *activeCount) add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
}

// checkServiceCapacity refuses a start while the whole service is at its capacity. The
// count may be a second old.
func (e *Engine) checkServiceCapacity(ctx context.Context) error {
	if e.opts.Capacity <= 0 {
		return nil
	}
	e.active.mu.Lock()
	defer e.active.mu.Unlock()
	if now := e.opts.Now(); now.Sub(e.active.at) >= time.Second || now.Before(e.active.at) {
		err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
			e.active.count, err = tx.CountAllActive()
			return err
		})
		if err != nil {
			return err
		}
		e.active.at = now
	}
	if e.active.count < e.opts.Capacity {
		return nil
	}
	busy := atelier.Errorf(atelier.CodeCapacityFull, "The service is at capacity. Try again later.")
	busy.RetryAfter = 30 * time.Second
	return busy.With("retryAfterSeconds", 30)
}
