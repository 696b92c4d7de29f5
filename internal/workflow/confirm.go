package workflow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/wire"
)

// Decision is a user's decision about a cost.
type Decision struct {
	Key     string // idempotency key, or empty
	Confirm bool   // otherwise the workflow is cancelled
	Preview *atelier.CostPreview
}

// Decided is a workflow after a decision.
type Decided struct {
	Workflow   apitype.Workflow
	Idempotent bool
}

// Confirm approves or declines the cost of a workflow that waits for the decision.
func (e *Engine) Confirm(ctx context.Context, w atelier.Wallet, id atelier.WorkflowID, d Decision) (Decided, error) {
	var before *store.IdempotencyRecord
	digest := digestOf(d)
	err := e.db.Write(ctx, func(tx *store.Tx) error {
		row, err := tx.Workflow(w, id)
		if err == nil && !d.Confirm { // which cancels the jobs
			err = e.lockJobs(tx, row)
		}
		if err != nil {
			return err
		}
		if err := tx.LockAccount(w); err != nil { // before the workflow: see own
			return err
		}
		claim := store.IdempotencyRecord{Wallet: w, Scope: "confirm/" + string(id), Key: d.Key, Resource: string(id), Digest: digest}
		before, err = tx.Once(claim, e.opts.Now(), func() error {
			acted := false
			r, err := e.change(tx, id, func(r *record) error {
				acted = true
				return e.decide(tx, r, d)
			})
			if err == nil && !acted {
				err = r.wrongState("The workflow is " + string(r.row.Status) + ": it has no cost to confirm.")
			}
			return err
		})
		if err != nil {
			return err
		}
		return before.Check(digest)
	})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return Decided{}, errNotFound(id)
	case err != nil:
		return Decided{}, err
	}
	v, err := e.view(ctx, w, id)
	return Decided{Workflow: v.snapshot(), Idempotent: before != nil}, err
}

func digestOf(v any) string {
	text, _ := wire.MarshalV1(v) // plain fields
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// decide applies a decision inside a change.
func (e *Engine) decide(tx *store.Tx, r *record, d Decision) error {
	if !r.awaitsApproval() && !r.awaitsRise() {
		return r.wrongState("The workflow is not waiting for a cost confirmation.")
	}
	if !d.Confirm {
		_, err := e.cancel(tx, r, "cost_declined")
		return err
	}
	shown := r.state.Previews[len(r.state.Previews)-1]
	switch {
	case r.hasExpiredRise():
		return r.stale("The cost preview has expired: resume the workflow for a new one, or decline it.")
	case r.now.After(shown.ValidityUntil):
		return r.stale("The cost preview has expired: it can only be declined now.")
	}
	if d.Preview == nil || !d.Preview.Equal(atelier.CostPreview(shown)) {
		return r.stale("acceptedCostPreview is not the preview that this workflow shows.")
	}
	if err := e.canPay(tx, r); err != nil {
		return err
	}
	r.state.Approval = &approval{Given: true, Authorized: r.now}
	if r.awaitsRise() {
		if err := r.requeue(atelier.WaitCostApproval); err != nil {
			return err
		}
	} else if err := r.move(atelier.StatusQueued, ""); err != nil {
		return err
	}
	r.emit("The cost was approved.", apitype.Custom{
		Kind: "cost_confirmation_resolved", Decision: "confirm", AuthorizedCapacityUnits: &shown.TotalEstimatedCapacityUnits, TokenType: shown.TokenType,
	})
	return nil
}

// stale refuses a preview that is not the current one.
func (r *record) stale(message string) error {
	e := atelier.Errorf(atelier.CodeStalePreview, "%s", message)
	return e.With("retryable", false).With("workflowStatus", r.row.Status).
		With("waitingReason", orNull(r.row.Waiting)).With("awaitingCostApproval", true)
}

// canPay refuses an account that could not pay for what it approves: the whole plan, or
// the steps whose cost has risen.
func (e *Engine) canPay(tx *store.Tx, r *record) error {
	sum := e.estimate(&r.plan)
	if r.awaitsRise() {
		sum = Estimate{}
		for _, s := range r.state.Steps {
			if s.Waiting == atelier.WaitCostApproval {
				sum.add(atelier.Cost(*s.Asked))
			}
		}
	}
	return sum.Affordable(tx, e.billing, r.row.Wallet, atelier.PaymentTerms(r.state.Terms))
}

// exceedsApproval reports whether a step costs more than the user has approved, because
// media that it takes was fetched or made since.
func (r *record) exceedsApproval(i int, price atelier.Cost) bool {
	p, s := r.plan.Steps[i], r.state.Steps[i]
	if r.state.Approval == nil && !r.state.Approved {
		return false
	}
	return price.Spark > p.Price.Spark && (s.Asked == nil || price.Spark > s.Asked.Spark)
}

// askAgain makes a step wait until the user approves its cost, which has risen.
func (e *Engine) askAgain(r *record, i int, price atelier.Cost) error {
	p := r.plan.Steps[i]
	r.state.Steps[i].Asked = (*costDocument)(&price)
	r.state.Previews = append(r.state.Previews, previewDocument(e.preview(&r.plan, atelier.PaymentTerms(r.state.Terms), r.now)))
	return r.pauseStep(i, atelier.WaitCostApproval, fmt.Sprintf("The step %q costs %s Spark instead of %s, now that the size of its media is known: confirm or decline it with confirm-cost.",
		p.ID, price.Spark, p.Price.Spark))
}

// authorization is the approval of the cost, and what was reserved and settled of it.
func (r *record) authorization() *apitype.Authorization {
	if r.state.Approval == nil || !r.state.Approval.Given {
		return nil
	}
	shown := r.state.Previews[len(r.state.Previews)-1]
	a := &apitype.Authorization{
		WorkflowRunID: string(r.row.ID), AuthorizedCapacityUnits: shown.TotalEstimatedCapacityUnits, TokenType: shown.TokenType,
		AuthorizedAt: r.state.Approval.Authorized.UTC(), ExpiresAt: shown.ValidityUntil.UTC(), StageSettlements: []apitype.StageSettlement{},
	}
	for i, p := range r.plan.Steps {
		s := r.state.Steps[i]
		line := apitype.StageSettlement{StageID: p.ID, ProjectID: string(s.ProjectID), EstimatedUnits: float64(p.Units), Status: "pending"}
		if s.JobID != "" {
			line.JobIDs = []string{string(s.JobID)}
		}
		switch {
		case s.Status == atelier.StatusCompleted || s.Status == atelier.StatusPartialFailure:
			units := float64(p.Units)
			if p.Count > 0 {
				units = units * float64(len(s.Made)) / float64(p.Count)
			}
			line.Status, line.SettledUnits = "settled", &units
			a.CumulativeSettledUnits += units
		case s.Status == atelier.StatusFailed:
			line.Status = "failed"
		case s.Status == atelier.StatusCancelled:
			line.Status = "cancelled"
		case s.JobID != "":
			line.Status = "in_flight"
			a.CumulativeReservedUnits += float64(p.Units)
		}
		a.StageSettlements = append(a.StageSettlements, line)
	}
	return a
}
