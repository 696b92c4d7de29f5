package spotcheck

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
)

// advance takes a check a step further: it orders the next render, waits for it, or compares.
func (e *Engine) advance(ctx context.Context, c store.SpotCheck) error {
	if len(c.Renders) == 1 {
		return e.order(ctx, c)
	}
	last, err := e.job(ctx, c.Renders[len(c.Renders)-1].JobID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return e.decide(ctx, c, atelier.SpotCheckUnclear, "", "The job of the check was deleted.")
	case err != nil:
		return err
	case !last.State.Terminal():
		if e.opts.Now().Sub(c.CreatedAt) > life {
			return e.db.Write(ctx, func(tx *store.Tx) error { _, err := e.fleet.Cancel(tx, last.ID); return err })
		}
		return nil
	case last.State == atelier.JobCancelled:
		return e.decide(ctx, c, atelier.SpotCheckUnclear, "", "No trusted worker has made it in time.")
	case last.State != atelier.JobCompleted:
		return e.decide(ctx, c, atelier.SpotCheckUnclear, "", "The check failed: "+last.Error.Message)
	case c.Renders[len(c.Renders)-1].Wallet == "":
		return e.decide(ctx, c, atelier.SpotCheckUnclear, "", "The worker of the check is gone.")
	}
	return e.compare(ctx, c)
}

func (e *Engine) job(ctx context.Context, id atelier.JobID) (j store.StoredJob, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) (err error) {
		j, err = tx.Job(id)
		return err
	})
	return j, err
}

// order has the render made by a worker of a trusted account.
func (e *Engine) order(ctx context.Context, c store.SpotCheck) error {
	var unclear string
	err := e.db.Write(ctx, func(tx *store.Tx) error {
		unclear = ""
		j, err := tx.Job(c.ID)
		if errors.Is(err, store.ErrNotFound) {
			unclear = "The render was deleted."
			return nil
		}
		if err != nil {
			return err
		}
		served, err := e.isServed(tx, c)
		if err == nil && !served {
			unclear = "No worker of a trusted account offers the model now."
		}
		if err != nil || !served {
			return err
		}
		spec := j.Spec
		spec.ConcurrencyClass, spec.ConcurrencyLimit = "", 0 // of the plan of who asked
		next, err := e.fleet.Submit(tx, fleet.Submission{
			Wallet: e.opts.Payer, Owner: atelier.JobOwner{Kind: ownerKind, ID: string(c.ID), Part: strconv.Itoa(len(c.Renders))}, Network: j.Network, Spec: spec,
			Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillTokens}, Cost: j.Cost, Takers: e.takers(c),
		})
		if err != nil {
			return err
		}
		return tx.AddSpotCheckRender(c.ID, len(c.Renders), store.SpotCheckRender{JobID: next.ID})
	})
	switch {
	case errors.Is(err, store.ErrExists):
		return nil // another node was first
	case atelier.HasCode(err, atelier.CodeInsufficientBalance):
		unclear = fmt.Sprintf("The account %s cannot pay for it. %s", e.opts.Payer, err)
	case err != nil:
		return err
	}
	if unclear == "" {
		return nil
	}
	return e.decide(ctx, c, atelier.SpotCheckUnclear, "", unclear)
}

// compare compares the results of the renders, and orders another one when two differ.
func (e *Engine) compare(ctx context.Context, c store.SpotCheck) error {
	results := make([]result, len(c.Renders))
	for i, r := range c.Renders {
		var err error
		if results[i], err = e.read(ctx, r.JobID); errors.Is(err, errDeleted) {
			return e.decide(ctx, c, atelier.SpotCheckUnclear, "", "A result was deleted before it was compared.")
		} else if err != nil {
			return e.orGiveUp(ctx, c, err)
		}
	}
	same := func(i, k int) bool { return results[i].same(results[k]) }
	switch {
	case same(0, 1):
		return e.decide(ctx, c, atelier.SpotCheckSame, "", "")
	case len(results) == 2:
		return e.order(ctx, c)
	case same(1, 2):
		return e.decide(ctx, c, atelier.SpotCheckWrong, c.Renders[0].Wallet, fmt.Sprintf("%s and %s have made the same, %s something else.", name(c, 1), name(c, 2), name(c, 0)))
	}
	return e.decide(ctx, c, atelier.SpotCheckUnclear, "", "The trusted workers have made two different results.")
}

// name names the worker of a render.
func name(c store.SpotCheck, i int) string {
	return fmt.Sprintf("%s (%s)", c.Renders[i].Worker, c.Renders[i].Wallet)
}

// orGiveUp returns an error after which a step is tried again, unless the check is too old.
func (e *Engine) orGiveUp(ctx context.Context, c store.SpotCheck, err error) error {
	if ctx.Err() != nil || e.opts.Now().Sub(c.CreatedAt) <= life {
		return err
	}
	return e.decide(ctx, c, atelier.SpotCheckUnclear, "", "The results could not be read.")
}

// decide ends a check and deletes what was made for it.
func (e *Engine) decide(ctx context.Context, c store.SpotCheck, s atelier.SpotCheckState, fault atelier.Wallet, reason string) error {
	c.State, c.AtFault, c.Reason, c.DecidedAt = s, fault, reason, e.opts.Now()
	var keys []string
	err := e.db.Write(ctx, func(tx *store.Tx) (err error) {
		if err := tx.DecideSpotCheck(c); err != nil {
			return err
		}
		keys, err = tx.DeleteSpotCheckJobs(atelier.JobOwner{Kind: ownerKind, ID: string(c.ID)})
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil // another node was first
	}
	if err != nil {
		return err
	}
	e.counts.Inc(string(s))
	for _, key := range keys {
		_ = e.blobs.Delete(ctx, key) // the sweeper removes it otherwise
	}
	if s != atelier.SpotCheckWrong {
		return nil
	}
	e.opts.Log.Warn("a worker has made something else than two trusted ones", "job", c.ID, "model", c.ModelID, "account", fault)
	if !e.opts.Drain {
		return nil
	}
	return e.drain(ctx, fault)
}

// drain drains the connected workers of an account.
func (e *Engine) drain(ctx context.Context, w atelier.Wallet) error {
	var workers []atelier.Worker
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		workers, err = tx.Workers(e.fleet.ConnectedSince(e.opts.Now()))
		return err
	})
	for _, one := range workers {
		if one.Wallet.Equal(w) {
			err = errors.Join(err, e.fleet.DrainWorker(ctx, one.ID, true, nil))
		}
	}
	if err == nil {
		e.opts.Log.Warn("drained workers after a spot check", "account", w)
	}
	return err
}
