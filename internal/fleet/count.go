package fleet

import (
	"errors"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store"
)

// clockSlack is how much longer than its lease a worker may report that a part of its
// render took: its clock may differ.
const clockSlack = 5 * time.Second

// render is what is recorded about a job that a worker has held. What the worker reports
// is limited to what is possible.
func render(w atelier.Worker, j store.StoredJob, m apitype.RenderMetrics, now time.Time) billing.Render {
	held := max(0, now.Sub(j.StartedAt))
	part := func(seconds float64) time.Duration {
		most := held + clockSlack
		return time.Duration(max(0, min(seconds, most.Seconds())) * float64(time.Second)).Round(time.Millisecond)
	}
	return billing.Render{
		Network: j.Network, ModelID: j.Spec.ModelID, Worker: w.Wallet, NFT: w.NFTTokenID, Preview: isPreview(w, j.Spec),
		Ended: now, Held: held, Render: part(m.RenderSeconds), Switch: part(m.ModelSwitchSeconds), Priming: part(m.PrimingSeconds),
	}
}

// recordFailure records that a worker failed at a job.
func (e *Engine) recordFailure(tx *store.Tx, j store.StoredJob, now time.Time) error {
	if j.Network == atelier.NetworkNode {
		return nil // a task of the service, not a render
	}
	w, err := tx.AnyWorker(j.WorkerID)
	if errors.Is(err, store.ErrNotFound) {
		return nil // it was removed: it is not known whose it was
	}
	if err != nil {
		return err
	}
	if w, err = countNFT(tx, w, now); err != nil {
		return err
	}
	return e.billing.RecordFailure(tx, j.Wallet, billing.Cause(j.ID, j.Attempt), j.Charge, render(w, j, apitype.RenderMetrics{}, now))
}
