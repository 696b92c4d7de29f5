package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
)

// Cancelled is a run after a cancel.
type Cancelled struct {
	ID      atelier.RunID
	Status  atelier.Status
	Aborted bool // work under way was signalled
}

// Cancel ends a run and the workflows that it has under way. What was made stays.
func (e *Engine) Cancel(ctx context.Context, w atelier.Wallet, id atelier.RunID, reason string) (Cancelled, error) {
	inFlight, err := e.cancel(ctx, w, id, reason)
	if err != nil {
		return Cancelled{}, orNotFound(id, err)
	}
	here := e.signal(id)
	if !here {
		e.bus.Publish(cancelledTopic)
	}
	return Cancelled{ID: id, Status: atelier.StatusCancelled, Aborted: here || inFlight}, nil
}

// errStarted means that a workflow was started before the run was locked.
var errStarted = errors.New("run: another workflow was started meanwhile")

// cancel ends a run in one transaction. Locks are taken in the order of all changes:
// jobs, the account, the run, and then the workflows.
func (e *Engine) cancel(ctx context.Context, w atelier.Wallet, id atelier.RunID, reason string) (inFlight bool, err error) {
	for range 10 {
		err = e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
			row, err := tx.Run(w, id)
			if err != nil {
				return err
			}
			children, err := openWorkflows(row)
			if err == nil {
				err = e.workflows.Lock(tx, w, children)
			}
			if err != nil {
				return err
			}
			if row, err = tx.LockRun(w, id); err != nil {
				return err
			}
			now, err := openWorkflows(row)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(now, func(id atelier.WorkflowID) bool { return !slices.Contains(children, id) }) {
				return errStarted
			}
			inFlight, err = e.cancelLocked(tx, row, now, reason)
			return err
		})
		if !errors.Is(err, errStarted) {
			return inFlight, err
		}
	}
	return false, atelier.Errorf(atelier.CodeUnavailable, "The run is starting workflows. Try again.")
}

// openWorkflows lists the workflows that a run has under way.
func openWorkflows(row store.StoredRun) (ids []atelier.WorkflowID, err error) {
	r, err := decode(row)
	if err != nil || len(r.state.Rounds) == 0 {
		return nil, err
	}
	for _, c := range r.state.Rounds[len(r.state.Rounds)-1].Calls {
		if c.WorkflowID != "" && c.Outcome == nil {
			ids = append(ids, c.WorkflowID)
		}
	}
	return ids, nil
}

func (e *Engine) cancelLocked(tx *store.Tx, row store.StoredRun, children []atelier.WorkflowID, reason string) (bool, error) {
	r, err := decode(row)
	if err != nil {
		return false, err
	}
	r.now = e.now()
	if row.Status.Terminal() {
		return false, r.wrongState("The run is " + string(row.Status) + ": there is nothing to cancel.")
	}
	inFlight, err := e.workflows.CancelIn(tx, children, reason)
	if err != nil {
		return false, err
	}
	r.state.Cancelled = reason
	r.state.Final = &finalDocument{Content: r.content(), Finish: "cancelled"}
	if err := r.move(atelier.StatusCancelled, ""); err != nil {
		return false, err
	}
	r.emit(apitype.RunCancelled{Reason: reason})
	return inFlight, e.update(tx, r, row.Status)
}

// CancelAll ends every run of an account that is not over, each in a separate
// transaction, and returns how many it ended.
func (e *Engine) CancelAll(ctx context.Context, w atelier.Wallet, reason string) (ended int, err error) {
	var errs []error
	for after := atelier.RunID(""); ; {
		var ids []atelier.RunID
		err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
			ids, err = tx.OpenRuns(w, after, 100)
			return err
		})
		if err != nil || len(ids) == 0 {
			return ended, errors.Join(append(errs, err)...)
		}
		for _, id := range ids {
			if _, err := e.Cancel(ctx, w, id, reason); err == nil {
				ended++
			} else if !atelier.HasCode(err, atelier.CodeWrongState) { // it has ended meanwhile
				errs = append(errs, fmt.Errorf("run %s: %w", id, err))
			}
		}
		after = ids[len(ids)-1]
	}
}
