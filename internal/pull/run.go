package pull

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/connection"
	"github.com/atelier-project/atelier/internal/modeldir"
	"github.com/atelier-project/atelier/internal/store"
)

const (
	hold   = 20 * time.Second // after which another node takes the pull of one that has died
	report = time.Second      // between two reports of an attempt
	look   = 10 * time.Second // after which a node looks for pulls without a nudge
)

// Run fetches pulls until ctx ends. Those that are under way are then given back.
func (e *Engine) Run(ctx context.Context) {
	sub := e.bus.Subscribe(topic)
	defer sub.Close()
	var running sync.WaitGroup
	defer running.Wait()
	for {
		if err := e.takeAll(ctx, &running); err != nil && ctx.Err() == nil {
			e.opts.Log.Warn("look for pulls failed", "error", err)
		}
		if !clock.Wait(ctx, sub.C(), look) {
			return
		}
	}
}

// takeAll begins every pull that this node can take.
func (e *Engine) takeAll(ctx context.Context, running *sync.WaitGroup) error {
	var waiting []store.Pull
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		waiting, err = tx.WaitingPulls(e.opts.Now())
		return err
	})
	if err != nil || len(waiting) == 0 {
		return err
	}
	named, err := e.folders(ctx)
	if err != nil {
		return err
	}
	folders := map[string]string{}
	for _, o := range named {
		folders[o.ID] = o.ModelsDir()
	}
	for _, p := range waiting {
		dir, used := folders[p.ConnectionID]
		switch {
		case !used:
			continue // until its connection is
		case dir != p.Folder: // also one whose node has died
			if err := e.refuse(ctx, p); err != nil {
				return err
			}
			continue
		case !isSeen(p.Folder):
			continue // another node may see it
		}
		attempt, err := e.take(ctx, p)
		if errors.Is(err, store.ErrNotFound) {
			continue // another node was quicker, or it waits for one into the same folder
		}
		if err != nil {
			return err
		}
		p.Attempt, p.State = attempt, atelier.PullRunning
		running.Go(func() { e.attempt(ctx, p) })
	}
	return nil
}

// isSeen reports whether this node can write to a folder.
func isSeen(dir string) bool {
	f, err := modeldir.Open(dir)
	return err == nil && f.Writable() == nil
}

func (e *Engine) take(ctx context.Context, p store.Pull) (attempt int64, err error) {
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		now := e.opts.Now()
		attempt, err = tx.TakePull(p, now, now.Add(hold))
		return err
	})
	return attempt, err
}

// refuse ends a pull into a folder that its connection no longer names.
func (e *Engine) refuse(ctx context.Context, p store.Pull) error {
	err := e.db.Write(ctx, func(tx *store.Tx) error {
		return tx.RefusePull(p, connection.OtherFolder, e.opts.Now())
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil // it was cancelled, or taken, meanwhile
	}
	return err
}

// errLost ends an attempt that is no longer the latest one, or whose pull was cancelled.
var errLost = errors.New("the pull was cancelled, or taken by another node")

// attempt fetches a pull that this node has taken, and records the outcome.
func (e *Engine) attempt(ctx context.Context, p store.Pull) {
	log := e.opts.Log.With("model", p.Model, "folder", p.Folder, "attempt", p.Attempt)
	log.Info("pull started")
	fetching, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	w := newWork(e.opts.Now)
	var reporting sync.WaitGroup
	reporting.Go(func() { e.reportUntil(fetching, p, w, stop) })
	err := e.fetch(fetching, p, w)
	lost := errors.Is(context.Cause(fetching), errLost)
	stop(nil)
	reporting.Wait()
	defer e.bus.Publish(topic) // one into the same folder may be next
	if w.fetchedAny() {
		e.bus.Publish(ArrivedTopic)
		defer e.opts.Arrived(ctx, p.ConnectionID)
	}
	switch {
	case lost:
		log.Info("pull ended", "reason", errLost)
		return
	case err != nil && ctx.Err() != nil:
		e.record(ctx, p, func(tx *store.Tx) error { return tx.ReleasePull(p.ID, p.Attempt) })
		log.Info("pull given back, the node stops")
		return
	}
	p.State, p.EndedAt, p.Files = atelier.PullCompleted, e.opts.Now(), w.encode()
	if err != nil {
		p.State, p.Problem = atelier.PullFailed, explain(err, w.kept())
		log.Warn("pull failed", "error", err)
	}
	e.record(ctx, p, func(tx *store.Tx) error { return tx.EndPull(p) })
	log.Info("pull ended", "state", p.State)
}

// reportUntil stores how far an attempt has got until ctx ends, and stops it when it is lost.
func (e *Engine) reportUntil(ctx context.Context, p store.Pull, w *work, stop context.CancelCauseFunc) {
	sub := e.bus.Subscribe(topic) // a cancellation is a nudge
	defer sub.Close()
	for clock.Wait(ctx, sub.C(), report) {
		files, speed := w.encode(), w.speed()
		err := e.db.Write(ctx, func(tx *store.Tx) error {
			return tx.ReportPull(p.ID, p.Attempt, files, speed, e.opts.Now().Add(hold))
		})
		switch {
		case errors.Is(err, store.ErrNotFound):
			stop(errLost)
		case err != nil && ctx.Err() == nil:
			e.opts.Log.Warn("report of a pull failed", "model", p.Model, "error", err)
		}
	}
}

// mostTries is how often the outcome of an attempt is recorded again, a second apart, while the
// database is unavailable.
const mostTries = 300

// record stores the outcome of an attempt, unless it no longer counts.
func (e *Engine) record(ctx context.Context, p store.Pull, write func(*store.Tx) error) {
	last := context.WithoutCancel(ctx)
	err := e.db.Write(last, write)
	for tries := 0; atelier.IsOutage(err) && tries < mostTries && clock.Sleep(ctx, time.Second); tries++ {
		err = e.db.Write(last, write)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		e.opts.Log.Warn("record the end of a pull failed", "model", p.Model, "error", err)
	}
}
