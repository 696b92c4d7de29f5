package spotcheck

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/telemetry"
)

// Engine makes spot checks. It is safe for concurrent use.
type Engine struct {
	db     *store.DB
	bus    *bus.Bus
	fleet  *fleet.Engine
	blobs  blob.Store
	media  *media.Engine
	opts   Options
	counts telemetry.Counter
}

// Options are what an engine needs besides its adapters.
type Options struct {
	Percent float64          // of the renders that are checked
	By      []atelier.Wallet // whose workers make them again
	Drain   bool             // drain the workers of an account that has made something else
	Payer   atelier.Wallet   // pays for the renders of checks

	// Earns reports whether a worker earns something for a render.
	Earns func(atelier.Charge, atelier.Network) bool

	Draw    func() float64 // from 0 to 1; rand.Float64 when nil
	Now     func() time.Time
	Log     *slog.Logger
	Metrics *telemetry.Metrics // may be nil
}

// ownerKind is the kind of the owner of jobs that are made for checks.
const ownerKind = "spot_check"

// topic is nudged when a check may go on.
const topic = "spot-checks"

const (
	life           = 6 * time.Hour            // after which a check that is not decided is given up
	retention      = 90 * 24 * time.Hour      // of decided checks
	faultRetention = 2 * 365 * 24 * time.Hour // of those that found a worker at fault
	atOnce         = 100                      // checks that are read at once
	look           = time.Minute              // after which open checks are looked at again without a nudge
)

// New makes an engine that the fleet notifies of completed jobs. It must be called before the fleet
// runs.
func New(db *store.DB, b *bus.Bus, f *fleet.Engine, blobs blob.Store, m *media.Engine, o Options) *Engine {
	if o.Draw == nil {
		o.Draw = rand.Float64
	}
	e := &Engine{db: db, bus: b, fleet: f, blobs: blobs, media: m, opts: o}
	e.counts = o.Metrics.Counter("spot_checks_total", "Spot checks that were decided.", "state")
	f.RegisterHooks(ownerKind, fleet.Hooks{Ended: e.ended})
	if o.Percent > 0 {
		f.OnCompleted(e.choose)
	}
	return e
}

// choose begins a check of a render that was just completed, if it is drawn and a trusted
// account has a worker that can make it again.
func (e *Engine) choose(tx *store.Tx, w atelier.Worker, j store.StoredJob) error {
	if e.opts.Draw()*100 >= e.opts.Percent || !e.isChecked(w, j) {
		return nil
	}
	c := store.SpotCheck{
		ID: j.ID, Wallet: j.Wallet, Network: j.Network, ModelID: j.Spec.ModelID, CreatedAt: e.opts.Now(),
		Renders: []store.SpotCheckRender{{JobID: j.ID, Wallet: w.Wallet, Worker: w.Name}},
	}
	served, err := e.isServed(tx, c)
	if err != nil || !served {
		return err
	}
	tx.OnCommit(func() { e.bus.Publish(topic) })
	return tx.InsertSpotCheck(c)
}

// isChecked reports whether a render is of those that are checked: pictures for which an account
// that is not trusted is paid. Personal LoRAs are not given to further workers, and vendors are
// not asked twice.
func (e *Engine) isChecked(w atelier.Worker, j store.StoredJob) bool {
	switch {
	case j.Network == atelier.NetworkNode, j.Cost.Premium, j.Spec.PersonalLoras() > 0, !j.Spec.SafeContentFilter, !e.opts.Earns(j.Charge, j.Network):
		return false
	case w.Fallback, w.Wallet.Equal(j.Wallet), w.Wallet.Equal(e.opts.Payer), j.Wallet.Equal(e.opts.Payer), slices.ContainsFunc(e.opts.By, w.Wallet.Equal):
		return false
	}
	return !slices.ContainsFunc(j.Spec.Artifacts, func(a atelier.JobArtifact) bool { return a.Kind != "image" })
}

// takers are the accounts whose workers make the render of a check again: those that are
// trusted, but for the one that asked for it.
func (e *Engine) takers(c store.SpotCheck) []atelier.Wallet {
	return slices.DeleteFunc(slices.Clone(e.opts.By), c.Wallet.Equal)
}

// isServed reports whether a worker is connected that may make the render of a check again.
func (e *Engine) isServed(tx *store.Tx, c store.SpotCheck) (bool, error) {
	offers, err := tx.OffersOf(c.Network, c.ModelID)
	takers := e.takers(c)
	return slices.ContainsFunc(offers, func(w atelier.Worker) bool { return !w.Fallback && slices.ContainsFunc(takers, w.Wallet.Equal) }), err
}

// ended records whose worker has made a render of a check, and has the check go on.
func (e *Engine) ended(tx *store.Tx, j atelier.Job, _ []atelier.Artifact) error {
	tx.OnCommit(func() { e.bus.Publish(topic) })
	if j.State != atelier.JobCompleted {
		return nil
	}
	w, err := tx.AnyWorker(j.WorkerID)
	if errors.Is(err, store.ErrNotFound) {
		return nil // it was removed meanwhile
	}
	if err != nil {
		return err
	}
	return tx.NoteSpotCheckWorker(atelier.JobID(j.Owner.ID), store.SpotCheckRender{JobID: j.ID, Wallet: w.Wallet, Worker: w.Name})
}

// Run makes the checks until ctx ends. Several nodes may: each step is stored once.
func (e *Engine) Run(ctx context.Context) {
	sub := e.bus.Subscribe(topic)
	defer sub.Close()
	for {
		if err := e.Advance(ctx); err != nil && ctx.Err() == nil {
			e.opts.Log.Warn("spot check failed", "error", err)
		}
		if !clock.Wait(ctx, sub.C(), look) {
			return
		}
	}
}

// Advance takes every open check as far as it can go now.
func (e *Engine) Advance(ctx context.Context) error {
	var open []store.SpotCheck
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		open, err = tx.OpenSpotChecks(e.opts.Now().Add(-life), atOnce)
		return err
	})
	for _, c := range open {
		err = errors.Join(err, e.advance(ctx, c))
	}
	return err
}

// Sweep deletes old checks.
func (e *Engine) Sweep(ctx context.Context) error {
	now := e.opts.Now()
	return e.db.Write(ctx, func(tx *store.Tx) error {
		_, err := tx.ExpireSpotChecks(now.Add(-retention), now.Add(-faultRetention), 10*atOnce)
		return err
	})
}
