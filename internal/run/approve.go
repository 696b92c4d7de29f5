package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chat"

	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/atelier-project/atelier/internal/workflow"
)

// insufficientCredits is the flavor of a pause for a cost that the account cannot pay.
const insufficientCredits = "insufficient_credits"

// Hold implements chat.Recorder: calls wait when the request asks for approval, unless
// they are approved, and when the account cannot pay for them.
func (x *execution) Hold(ctx context.Context, paid []chat.PaidCall) (bool, error) {
	ask, err := x.asks(ctx, paid)
	if err != nil || ask {
		return ask, err
	}
	err = x.afford(ctx, paid)
	if atelier.HasCode(err, atelier.CodeInsufficientBalance) {
		return true, nil
	}
	return false, err
}

// asks reports whether one of the calls has to be approved: it was not, or it costs more
// now than was approved.
func (x *execution) asks(ctx context.Context, paid []chat.PaidCall) (bool, error) {
	switch {
	case x.request.Confirm:
		return x.isUnapproved(paid), nil
	case !x.request.ConfirmSpending || !x.isUnapproved(paid):
		return false, nil
	}
	isCovered := false
	err := x.engine.db.Read(ctx, func(tx *store.Tx) (err error) {
		isCovered, err = totalOf(paid).IsCovered(tx, x.engine.billing, x.row.Wallet, x.request.terms())
		return err
	})
	for _, c := range paid {
		c.Covered = isCovered && c.Estimate.Spark() > 0
	}
	return !isCovered, err
}

// isUnapproved reports whether one of the calls was not approved at its cost.
func (x *execution) isUnapproved(paid []chat.PaidCall) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, c := range paid {
		if d := x.state.call(c.ID); !d.Approved || c.Estimate.Spark() > d.Most {
			return true
		}
	}
	return false
}

// afford returns an error unless the account could pay for all of the calls now.
func (x *execution) afford(ctx context.Context, paid []chat.PaidCall) error {
	return x.engine.db.Read(ctx, func(tx *store.Tx) error {
		return totalOf(paid).Affordable(tx, x.engine.billing, x.row.Wallet, x.request.terms())
	})
}

func totalOf(paid []chat.PaidCall) (sum workflow.Estimate) {
	for _, c := range paid {
		sum.Add(c.Estimate)
	}
	return sum
}

// Pause implements chat.Recorder.
func (x *execution) Pause(ctx context.Context, paid []chat.PaidCall) error {
	short := x.afford(ctx, paid)
	if short != nil && !atelier.HasCode(short, atelier.CodeInsufficientBalance) {
		return short
	}
	return x.paused(x.change(ctx, func(_ *store.Tx, r *record) error {
		total := totalOf(paid)
		w := waitingDocument{Reason: atelier.WaitCostApproval, Message: "The cost of the next step has to be approved."}
		token := x.request.Token
		if total.Premium.Spark > 0 {
			token = atelier.PaySpark // vendors accept nothing else
		}
		for _, c := range paid {
			w.Calls = append(w.Calls, heldDocument{ID: c.ID, Name: c.Function.Name, Units: c.Estimate.Units, Spark: c.Estimate.Plain.Spark, Premium: c.Estimate.Premium.Spark})
		}
		if short != nil {
			w.Flavor, w.Message = insufficientCredits, "The balance cannot cover the next step. Cancel the run, add credits and start it again."
			if e, ok := errors.AsType[*atelier.Error](short); ok && e.Details["budget"] != nil {
				w.Message = e.Message // credit does not raise the budget of a key
			}
		} else {
			w.Preview = &previewDocument{Units: total.Units, Token: token, ValidityUntil: r.now.Add(x.engine.opts.PreviewTTL), Calls: w.Calls}
			r.state.Previews = append(r.state.Previews, *w.Preview)
		}
		for _, c := range paid {
			r.emit(apitype.AwaitingCost{
				ToolCallID: c.ID, ToolName: c.Function.Name, EstimatedCost: inTokens(c.Estimate.Spark()), EstimatedUSDCost: inTokens(c.Estimate.USD()), TokenType: token,
				CapacityUnits: c.Estimate.Units, ModelKey: c.Estimate.Model,
				Width: c.Estimate.Width, Height: c.Estimate.Height, DurationSeconds: c.Estimate.Seconds, ToolArgs: argumentsOf(c.Function.Arguments),
			})
		}
		if w.Preview != nil {
			r.emit(apitype.PreviewUpdated{BillingPreview: w.Preview.shape()})
		}
		return r.wait(w)
	}))
}

// wait pauses the run.
func (r *record) wait(w waitingDocument) error {
	if err := r.move(atelier.StatusWaitingForUser, w.Reason); err != nil {
		return err
	}
	r.state.Waiting = &w
	r.emit(apitype.RunPaused{Reason: w.Reason, Message: w.Message, Details: w.details()})
	return nil
}

// details are the details of a pause as clients read them.
func (w *waitingDocument) details() apitype.RunWaitingDetails {
	d := apitype.RunWaitingDetails{Flavor: w.Flavor, WorkflowID: w.WorkflowID, PendingToolCallIDs: []string{}}
	if v := w.Review; v != nil {
		d.Review = &apitype.WaitingDetails{StepID: v.StepID, Source: v.Source, Categories: v.Categories}
	}
	for _, c := range w.Calls {
		d.PendingToolCallIDs = append(d.PendingToolCallIDs, c.ID)
	}
	if len(w.Calls) > 0 {
		d.ToolCallID = w.Calls[0].ID
	}
	if w.Preview != nil {
		p := w.Preview.shape()
		d.CostApprovalPreview = &p
	}
	return d
}

func (p *previewDocument) shape() apitype.RunPreview {
	out := apitype.RunPreview{TotalEstimatedCapacityUnits: p.Units, TokenType: p.Token, ValidityUntil: p.ValidityUntil.UTC(), PerToolBreakdown: []apitype.ToolCost{}}
	for _, c := range p.Calls {
		out.PerToolBreakdown = append(out.PerToolBreakdown, apitype.ToolCost{ToolCallID: c.ID, ToolName: c.Name, CapacityUnits: c.Units})
	}
	return out
}

// Decision is a user's decision about the cost of a pause.
type Decision struct {
	Key        string // idempotency key, or empty
	ToolCallID string
	Confirm    bool // otherwise the run ends
	Preview    *atelier.CostPreview
	Breakdown  []apitype.ToolCost // of the preview, by call; nil when it was not sent back
	Overrides  Overrides
	Reason     string
	Arrived    time.Time `json:"-"` // when the request came
}

// Overrides change a call that is approved.
type Overrides struct {
	QualityTier string
	Filter      *bool
	Prompt      *string
	Prompts     []string
}

// Decided is a run after a decision.
type Decided struct {
	Run        apitype.Run
	Idempotent bool
}

// Confirm approves or declines the cost of a run that waits for the decision, for all
// calls that wait.
func (e *Engine) Confirm(ctx context.Context, w atelier.Wallet, id atelier.RunID, d Decision) (Decided, error) {
	digest, err := digestOf(d)
	if err != nil {
		return Decided{}, err
	}
	var (
		r      *record
		before *store.IdempotencyRecord
	)
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		r, before = nil, nil
		if err := tx.LockAccount(w); err != nil {
			return err
		}
		row, err := tx.LockRun(w, id)
		if err != nil {
			return err
		}
		if r, err = decode(row); err != nil {
			return err
		}
		r.now = e.now()
		before, err = tx.Once(store.IdempotencyRecord{
			Wallet: w, Scope: "confirm/" + string(id), Key: d.Key, Resource: string(id), Digest: digest, Answer: r.now.Format(time.RFC3339Nano),
		}, r.now, func() error {
			if err := e.decide(tx, r, d); err != nil {
				return err
			}
			if err := e.update(tx, r, atelier.StatusWaitingForUser); err != nil || !d.Confirm {
				return err
			}
			_, err := tx.TakeRun(r.row, "") // whichever node has space continues it
			return err
		})
		return err
	})
	if err != nil {
		return Decided{}, orNotFound(id, err)
	}
	if before != nil {
		return e.decidedBefore(ctx, w, r, d, before, digest)
	}
	if d.Confirm {
		e.bus.Publish(queuedTopic)
	}
	found, err := e.Run(ctx, w, id)
	return Decided{Run: found}, err
}

func digestOf(d Decision) (string, error) {
	d.Key = ""
	text, err := wire.MarshalV1(d)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// decidedBefore answers a repeated decision. One that came while the first was made is
// answered like it; one that came later finds a run that has gone on.
func (e *Engine) decidedBefore(ctx context.Context, w atelier.Wallet, r *record, d Decision, before *store.IdempotencyRecord, digest string) (Decided, error) {
	if err := before.Check(digest); err != nil {
		return Decided{}, err
	}
	at, err := time.Parse(time.RFC3339Nano, before.Answer)
	if err != nil {
		return Decided{}, err
	}
	if d.Arrived.Truncate(time.Millisecond).After(at) { // as precise as the time of the decision
		return Decided{}, r.wrongState("This was decided before, and the run has gone on.")
	}
	found, err := e.Run(ctx, w, r.row.ID)
	return Decided{Run: found, Idempotent: true}, err
}

// Confirmable refuses a run whose cost cannot be confirmed, whatever the decision says.
func (e *Engine) Confirmable(ctx context.Context, w atelier.Wallet, id atelier.RunID) error {
	r, err := e.read(ctx, w, id, -1)
	if err != nil {
		return err
	}
	return r.confirmable()
}

// awaitsDecision reports whether the run waits for a decision about a cost.
func (r *record) awaitsDecision() bool {
	w := r.state.Waiting
	return r.row.Status == atelier.StatusWaitingForUser && w != nil && w.Reason == atelier.WaitCostApproval
}

// confirmable says why the cost of the run cannot be confirmed, if so.
func (r *record) confirmable() error {
	switch w := r.state.Waiting; {
	case r.row.Status != atelier.StatusWaitingForUser || w == nil:
		return r.wrongState("The run is " + string(r.row.Status) + ": it has no cost to confirm.")
	case w.Reason != atelier.WaitCostApproval:
		return r.wrongState("The run waits for a review of its content, which is not confirmed: cancel the run.")
	case w.Flavor == insufficientCredits:
		return r.wrongState("The balance could not cover the cost when the run paused: it can only be declined.")
	}
	return nil
}

// decide applies a decision to a run that is locked.
func (e *Engine) decide(tx *store.Tx, r *record, d Decision) error {
	confirmable := r.confirmable()
	w := r.state.Waiting
	switch {
	case confirmable != nil && (d.Confirm || !r.awaitsDecision()):
		return confirmable
	case !w.holds(d.ToolCallID):
		return r.wrongState("No call that waits has this tool_call_id.")
	case !d.Confirm:
		return r.decline(d)
	case d.Preview == nil:
		return atelier.Refuse("acceptedCostPreview", "is required to confirm: send the run's cost preview back.")
	case r.now.After(w.Preview.ValidityUntil):
		return r.stale("The cost preview has expired: it can only be declined now.")
	case !d.Preview.Equal(w.Preview.shown()), d.Breakdown != nil && !slices.Equal(d.Breakdown, w.Preview.shape().PerToolBreakdown):
		return r.stale("acceptedCostPreview is not the preview that this run shows.")
	}
	if err := e.canPay(tx, r, w); err != nil {
		return err
	}
	for _, c := range w.Calls {
		call := r.state.call(c.ID)
		call.Approved, call.Most = true, c.Spark+c.Premium
		if c.ID == d.ToolCallID {
			e.override(call, r.request.Tier, d.Overrides)
		}
	}
	if err := r.move(atelier.StatusRunning, ""); err != nil {
		return err
	}
	r.state.Resumes++
	r.emitDecision(w, d, "confirm")
	r.emit(apitype.RunResumed{Reason: "cost_approved"})
	return nil
}

// canPay refuses an account that cannot pay any more for what it approves. The costs
// are those of the pause.
func (e *Engine) canPay(tx *store.Tx, r *record, w *waitingDocument) error {
	var sum workflow.Estimate
	for _, c := range w.Calls {
		sum.Add(workflow.Estimate{Plain: atelier.Cost{Spark: c.Spark, Render: true}, Premium: atelier.Cost{Spark: c.Premium, Premium: c.Premium > 0}})
	}
	return sum.Affordable(tx, e.billing, r.row.Wallet, r.request.terms())
}

func (w *waitingDocument) holds(id string) bool {
	for _, c := range w.Calls {
		if c.ID == id {
			return true
		}
	}
	return false
}

func (p *previewDocument) shown() atelier.CostPreview {
	return atelier.CostPreview{TotalEstimatedCapacityUnits: p.Units, TokenType: p.Token, ValidityUntil: p.ValidityUntil}
}

// declined ends the answer of a run whose cost was declined. A client sends answers back with the next message: without
// these words a model sees a wish without an answer, and proposes it again.
const declined = "You declined the cost, so this was not made."

// decline ends the run: the calls that wait are not made.
func (r *record) decline(d Decision) error {
	w := r.state.Waiting
	r.emitDecision(w, d, "cancel")
	for _, c := range w.Calls {
		call := r.state.call(c.ID)
		call.Outcome = &outcomeDocument{Cancelled: true, Result: map[string]any{
			"ok": false, "success": false, "tool": c.Name, "error_type": "USER_CANCELLED", "message": "The user has declined the cost.", "retryable": false,
		}}
		r.emitResolved(call)
	}
	r.state.Final = &finalDocument{Content: strings.TrimSpace(r.content() + "\n\n" + declined), Finish: "cancelled"}
	if err := r.move(atelier.StatusCompleted, ""); err != nil {
		return err
	}
	r.emit(apitype.RunCompleted{Status: r.row.Status, FinalResponse: r.state.Final.shape()})
	return nil
}

// emitDecision reports a decision for each call that waited.
func (r *record) emitDecision(w *waitingDocument, d Decision, word string) {
	for _, c := range w.Calls {
		r.emit(apitype.CostResolved{ToolCallID: c.ID, Decision: word, Reason: d.Reason})
	}
}

// override changes the arguments of an approved call. A change that makes the call
// cost more is left out.
func (e *Engine) override(call *callDocument, tier string, o Overrides) {
	if o.Filter != nil {
		call.Filter = o.Filter
	}
	args, ok := argumentsOf(call.Arguments).(map[string]any)
	tool, known := e.catalog.Tool(call.Name)
	if !ok || !known {
		return
	}
	most, valid := e.costs(tool, tier, args)
	if !valid {
		return // what a change does to the cost is not known
	}
	changed := maps.Clone(args)
	try := func(name string, v any) {
		if _, takes := tool.Argument(name); !takes {
			return
		}
		next := maps.Clone(changed)
		next[name] = v
		if cost, valid := e.costs(tool, tier, next); valid && cost <= most {
			changed = next
		}
	}
	if o.Prompt != nil {
		try("prompt", *o.Prompt)
	}
	if o.Prompts != nil {
		list := make([]any, len(o.Prompts))
		for i, p := range o.Prompts {
			list[i] = p
		}
		try("prompts", list)
	}
	if selector := tool.Models.Tiers[o.QualityTier]; selector != "" {
		try(tool.Models.Argument, selector)
	}
	if text, err := wire.Marshal(changed); err == nil {
		call.Arguments = string(text)
	}
}

// costs is the price of a call in Spark, by its arguments and the tier of the request
// alone. valid is false when the arguments are not.
func (e *Engine) costs(tool *catalog.Tool, tier string, args map[string]any) (cost atelier.Money, valid bool) {
	step, err := e.catalog.Step(tool.Name, tool.WithTier(args, tier), catalog.Facts{})
	if err != nil {
		return 0, false
	}
	return step.Cost.Spark, true
}

// wrongState refuses what the state of the run does not allow.
func (r *record) wrongState(message string) error {
	e := atelier.Errorf(atelier.CodeWrongState, "%s", message)
	return r.describe(e)
}

// stale refuses a preview that is not the current one.
func (r *record) stale(message string) error {
	return r.describe(atelier.Errorf(atelier.CodeStalePreview, "%s", message))
}

func (r *record) describe(e *atelier.Error) error {
	e = e.With("retryable", false).With("runStatus", r.row.Status)
	if r.row.Waiting != "" {
		e = e.With("waitingReason", r.row.Waiting)
	}
	if w := r.state.Waiting; w != nil && w.Flavor != "" {
		e = e.With("flavor", w.Flavor)
	}
	return e
}

// inTokens is an amount as a JSON number.
func inTokens(m atelier.Money) float64 { return float64(m) / float64(atelier.MoneyUnit) }
