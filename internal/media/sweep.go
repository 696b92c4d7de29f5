package media

import (
	"context"
	"errors"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/store"
)

// Swept counts what a sweep removed.
type Swept struct {
	Forms    int // closed forms that nothing was uploaded with, or that were uploaded anew
	Assets   int // uploads never finalized, and assets past their time
	Objects  int // objects that no row names
	Leavings int // parts of uploads that never ended
}

// Any reports whether anything was removed.
func (s Swept) Any() bool { return s != Swept{} }

// late is how long after its end a form or upload may still be on its way.
const late = time.Hour

// page is how many rows a sweep reads at a time.
const page = 200

// Sweep removes what nobody can ask for any more: first rows whose time is
// over, then objects that no row names. It never removes an object that a row
// names. Any node may sweep, at any time.
func (e *Engine) Sweep(ctx context.Context) (Swept, error) {
	var s Swept
	err := errors.Join(e.sweepForms(ctx, &s), e.sweepAssets(ctx, &s), e.sweepObjects(ctx, &s))
	n, leavings := e.blobs.Sweep(ctx, e.o.Now().Add(-late))
	s.Leavings = n
	return s, errors.Join(err, leavings)
}

// sweepForms forgets closed forms that came to nothing, and those whose upload
// a newer one of the same slot has replaced.
func (e *Engine) sweepForms(ctx context.Context, s *Swept) error {
	before := e.o.Now().Add(-late)
	for after := ""; ; {
		var closed []store.Upload
		err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
			closed, err = tx.ClosedUploads(before, after, page)
			return err
		})
		if err != nil || len(closed) == 0 {
			return err
		}
		for _, u := range closed {
			after = u.Key
			current, err := e.current(ctx, u)
			if err != nil {
				return err
			}
			if current {
				continue
			}
			if err := e.db.Write(ctx, func(tx *store.Tx) error { return tx.DeleteUpload(u.Key) }); err != nil {
				return err
			}
			s.Forms++
		}
	}
}

// current reports whether an upload is what its slot shows.
func (e *Engine) current(ctx context.Context, u store.Upload) (bool, error) {
	place, err := e.Input(ctx, u.Wallet, u.ProjectID, u.Slot)
	if atelier.Has(err, atelier.CodeNotFound) {
		return false, nil
	}
	return place.Key == u.Key, err
}

func (e *Engine) sweepAssets(ctx context.Context, s *Swept) error {
	now := e.o.Now()
	for _, round := range []struct {
		state  atelier.AssetState
		before time.Time // nothing used since can be over
	}{
		{atelier.AssetUploading, now.Add(-e.o.Limits.FinalizeWindow)},
		{atelier.AssetReady, now.Add(-atelier.AssetIdle)},
	} {
		for after := ""; ; {
			var stale []atelier.Asset
			err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
				stale, err = tx.StaleAssets(round.state, round.before, after, page)
				return err
			})
			if err != nil {
				return err
			}
			if len(stale) == 0 {
				break
			}
			for _, a := range stale {
				after = a.ID
				if err := e.retire(ctx, a, s); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// retire removes an asset whose time is over, by the plan of its owner.
func (e *Engine) retire(ctx context.Context, a atelier.Asset, s *Swept) error {
	plan, err := e.o.Plan(ctx, a.Wallet)
	if err != nil {
		return err
	}
	over := a.ExpiresAt(plan)
	if a.State == atelier.AssetUploading {
		over = over.Add(late)
	}
	if e.o.Now().Before(over) || (a.State == atelier.AssetReady && plan.Active()) {
		return nil
	}
	err = e.DeleteAsset(ctx, a.Wallet, a.ID)
	if atelier.Has(err, atelier.CodeNotFound) {
		return nil // its owner was quicker
	}
	s.Assets++
	return err
}

// rooms are the prefixes of keys, and how long an object there may wait for
// the row that names it. An input's row is there before the object; a result's
// comes when its job is settled, and a preview's never does.
var rooms = map[string]time.Duration{"inputs/": 0, "assets/": 0, "results/": 24 * time.Hour}

func (e *Engine) sweepObjects(ctx context.Context, s *Swept) error {
	for prefix, young := range rooms {
		for entry, err := range e.blobs.List(ctx, prefix, "") {
			if err != nil {
				return err
			}
			if young > 0 && e.o.Now().Sub(entry.ModTime) < young {
				continue
			}
			if err := e.sweepObject(ctx, entry, s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *Engine) sweepObject(ctx context.Context, entry blob.Entry, s *Swept) error {
	var named bool
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		named, err = tx.KeyNamed(entry.Key)
		return err
	})
	if err != nil || named {
		return err
	}
	s.Objects++
	return e.blobs.Delete(ctx, entry.Key)
}
