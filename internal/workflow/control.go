package workflow

import (
	"context"
	"errors"
	"fmt"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
)

// own changes a workflow of an account, or ends it. It reports false when there was
// nothing to change, because the workflow is over.
//
// All changes lock in one order, which prevents deadlocks: jobs, then the account, then
// the workflow. Facts of workers begin with their job.
func (e *Engine) own(ctx context.Context, w atelier.Wallet, id atelier.WorkflowID, ends bool, fn func(*store.Tx, *record) error) (acted bool, err error) {
	write := e.db.Write
	if ends {
		write = e.db.WriteDeletion
	}
	err = write(ctx, func(tx *store.Tx) error {
		acted = false // the function may run again, and find the workflow over
		row, err := tx.Workflow(w, id)
		if err == nil && ends {
			err = e.lockJobs(tx, row)
		}
		if err == nil {
			err = tx.LockAccount(w)
		}
		if err != nil {
			return err
		}
		_, err = e.change(tx, id, func(r *record) error {
			acted = true
			return fn(tx, r)
		})
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		err = errNotFound(id)
	}
	return acted, err
}

// lockJobs locks the jobs of a workflow that are not over.
func (e *Engine) lockJobs(tx *store.Tx, row store.StoredWorkflow) error {
	if row.Status.Terminal() {
		return nil
	}
	r, err := e.decode(row, func() ([]byte, error) { return row.Plan, nil })
	if err != nil {
		return err
	}
	for _, id := range r.openJobs() {
		if _, err := tx.LockJob(id); err != nil {
			return err
		}
	}
	return nil
}

// openJobs lists the jobs of a workflow that are not over.
func (r *record) openJobs() (jobs []atelier.JobID) {
	for _, s := range r.state.Steps {
		if s.JobID != "" && !s.Status.Terminal() {
			jobs = append(jobs, s.JobID)
		}
	}
	for _, f := range r.state.Files {
		if f.JobID != "" && !f.isOver() {
			jobs = append(jobs, f.JobID)
		}
	}
	return jobs
}

// Cancelled is a workflow after a cancel.
type Cancelled struct {
	Workflow     apitype.Workflow
	Transitioned bool // it was this cancel that ended it
	InFlight     bool // a worker still renders a job of it and will stop
}

// Cancel ends a workflow. One that is over stays as it is.
func (e *Engine) Cancel(ctx context.Context, w atelier.Wallet, id atelier.WorkflowID, reason string) (Cancelled, error) {
	inFlight := false
	acted, err := e.own(ctx, w, id, true, func(tx *store.Tx, r *record) (err error) {
		inFlight, err = e.cancel(tx, r, reason)
		return err
	})
	if err != nil {
		return Cancelled{}, err
	}
	found, err := e.Workflow(ctx, w, id)
	return Cancelled{Workflow: found, Transitioned: acted, InFlight: acted && inFlight}, err
}

// Delete deletes a workflow of an account that is over, with what it has made.
func (e *Engine) Delete(ctx context.Context, w atelier.Wallet, id atelier.WorkflowID) error {
	return e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
		_, err := tx.Workflow(w, id)
		if errors.Is(err, store.ErrNotFound) {
			return errNotFound(id)
		}
		if err != nil {
			return err
		}
		gone, err := tx.DeleteWorkflow(id)
		if err == nil && !gone {
			err = atelier.Errorf(atelier.CodeWrongState, "The workflow %s is not over, or a workflow that is not over uses what it has made.", id)
		}
		return err
	})
}

// CancelIn ends workflows of an account that are not over, in the caller's transaction,
// and reports whether a worker still renders a job of one. Lock must have locked them.
func (e *Engine) CancelIn(tx *store.Tx, ids []atelier.WorkflowID, reason string) (inFlight bool, err error) {
	for _, id := range ids {
		_, err := e.change(tx, id, func(r *record) error {
			flying, err := e.cancel(tx, r, reason)
			inFlight = inFlight || flying
			return err
		})
		if err != nil {
			return inFlight, err
		}
	}
	return inFlight, nil
}

// Lock locks, in the order of all changes, the jobs of workflows of an account and the
// account.
func (e *Engine) Lock(tx *store.Tx, w atelier.Wallet, ids []atelier.WorkflowID) error {
	for _, id := range ids {
		row, err := tx.Workflow(w, id)
		if err == nil {
			err = e.lockJobs(tx, row)
		}
		if err != nil {
			return err
		}
	}
	return tx.LockAccount(w)
}

// CancelAll ends every workflow of an account that is not over, each in a separate
// transaction, and returns how many it ended. An error with one does not stop the others.
func (e *Engine) CancelAll(ctx context.Context, w atelier.Wallet, reason string) (ended int, err error) {
	var errs []error
	for after := atelier.WorkflowID(""); ; {
		var ids []atelier.WorkflowID
		err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
			ids, err = tx.OpenWorkflows(w, after, 100)
			return err
		})
		if err != nil || len(ids) == 0 {
			return ended, errors.Join(append(errs, err)...)
		}
		for _, id := range ids {
			acted, err := e.own(ctx, w, id, true, func(tx *store.Tx, r *record) error {
				_, err := e.cancel(tx, r, reason)
				return err
			})
			if err != nil {
				errs = append(errs, fmt.Errorf("workflow %s: %w", id, err))
			} else if acted {
				ended++
			}
		}
		after = ids[len(ids)-1]
	}
}

// cancel ends a workflow inside a change. Its jobs are cancelled after it is over, so
// that their hooks change nothing.
func (e *Engine) cancel(tx *store.Tx, r *record, reason string) (inFlight bool, err error) {
	jobs := r.openJobs()
	r.state.Cancelled = &cancellation{Reason: reason, While: r.row.Waiting}
	for i, s := range r.state.Steps {
		if s.Status.Terminal() {
			continue
		}
		if s.NoWorker != nil && r.row.Waiting == "" {
			r.state.Cancelled.While = atelier.WaitNoWorker
		}
		if err := r.moveStep(i, atelier.StatusCancelled); err != nil {
			return false, err
		}
		r.state.Steps[i].JobID = "" // its hooks are ignored from now on
	}
	for i, f := range r.state.Files {
		if !f.isOver() {
			r.state.Files[i].JobID = ""
		}
	}
	if err := r.move(atelier.StatusCancelled, ""); err != nil {
		return false, err
	}
	r.state.EndedAt = &r.now
	r.emit("It was cancelled.", apitype.WorkflowCancelled{Reason: reason})
	if err := e.save(tx, r, false); err != nil { // before the hooks of the jobs run
		return false, err
	}
	for _, id := range jobs {
		flying, err := e.fleet.Cancel(tx, id)
		if err != nil {
			return false, err
		}
		inFlight = inFlight || flying
	}
	return inFlight, nil
}

// ResumeRequest resumes a paused workflow. What is nil stays as it is.
type ResumeRequest struct {
	Token     *atelier.TokenChoice
	Mode      *atelier.BillingMode
	AppSource *string
	Filter    *bool

	OnStart OnStart // as in StartRequest
}

// Resume continues a workflow from its stored state: steps that waited are tried again,
// on the new terms.
func (e *Engine) Resume(ctx context.Context, w atelier.Wallet, id atelier.WorkflowID, q ResumeRequest) (apitype.Workflow, error) {
	acted, err := e.own(ctx, w, id, false, func(tx *store.Tx, r *record) error {
		if r.row.Waiting == atelier.WaitCostApproval && !r.hasExpiredRise() {
			return r.wrongState("The workflow is waiting for its cost to be confirmed: use confirm-cost.")
		}
		if q.Token != nil {
			r.state.Terms.Token = *q.Token
		}
		if q.Mode != nil {
			r.state.Terms.Mode = *q.Mode
		}
		if q.AppSource != nil {
			r.state.Terms.App = *q.AppSource
		}
		if q.Filter != nil {
			r.state.Filter = *q.Filter
		}
		if err := r.resume(); err != nil || q.OnStart == nil {
			return err
		}
		return q.OnStart(tx, id)
	})
	if err != nil {
		return apitype.Workflow{}, err
	}
	v, err := e.view(ctx, w, id)
	if err == nil && !acted {
		err = v.wrongState("The workflow is " + string(v.row.Status) + ": there is nothing to resume.")
	}
	return v.snapshot(), err
}

// requeue puts the steps that wait for a reason, or for any when it is empty, back into
// the queue.
func (r *record) requeue(why atelier.WaitingReason) error {
	waited := false
	for i := range r.state.Steps {
		s := &r.state.Steps[i]
		if s.Status != atelier.StatusWaitingForUser || why != "" && s.Waiting != why {
			continue
		}
		waited = true
		s.Answered = s.Answered || s.Waiting == atelier.WaitQuestion
		if why == "" && s.Waiting == atelier.WaitCostApproval {
			s.Asked = nil // a resume approves nothing
			// The step asks again, with another preview in place of the last.
			r.state.Previews = r.state.Previews[:len(r.state.Previews)-1]
		}
		if err := r.moveStep(i, atelier.StatusQueued); err != nil {
			return err
		}
	}
	if !waited {
		return nil
	}
	to := atelier.StatusQueued
	if r.state.Started {
		to = atelier.StatusRunning
	}
	return r.move(to, "")
}

// resume puts all steps that wait back into the queue.
func (r *record) resume() error {
	r.state.Resumes++
	r.state.ResumedAt = &r.now
	if err := r.requeue(""); err != nil {
		return err
	}
	r.emit("The workflow was resumed.", apitype.Custom{Kind: "workflow_resumed", ResumeCount: r.state.Resumes})
	return nil
}

// wrongState refuses an action that the status does not allow.
func (r *record) wrongState(message string) error {
	return atelier.Errorf(atelier.CodeWrongState, "%s", message).
		With("retryable", !r.row.Status.Terminal()).With("workflowStatus", r.row.Status).
		With("waitingReason", orNull(r.row.Waiting)).With("awaitingCostApproval", r.row.Waiting == atelier.WaitCostApproval)
}

func orNull(w atelier.WaitingReason) any {
	if w == "" {
		return nil
	}
	return w
}
