package media

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/store"
)

// Swept counts what a sweep removed.
type Swept struct {
	Forms    int // closed forms: not used, replaced by a newer upload, or never taken by a workflow
	Assets   int // uploads never finalized, and assets past their time
	Objects  int // objects that no row names, moved to the trash
	Previews int // previews of jobs that are over
	Trash    int // objects that were in the trash long enough
	Leavings int // parts of uploads that never ended
}

// Any reports whether anything was removed.
func (s Swept) Any() bool { return s != Swept{} }

// late is how long after its end an upload may still arrive.
const late = time.Hour

// page is how many rows a sweep reads at a time.
const page = 200

// Sweep removes what no request can reach any more: first expired rows, then
// objects that no row names. It never removes an object that a row names, and
// removed objects stay in the trash for a week. Any node may sweep, at any time.
// Forced, it also removes objects when they are suspiciously many.
func (e *Engine) Sweep(ctx context.Context, forced bool) (Swept, error) {
	var s Swept
	err := errors.Join(e.sweepForms(ctx, &s), e.sweepAssets(ctx, &s), e.sweepObjects(ctx, &s, forced), e.emptyTrash(ctx, &s), e.deleteOldDays(ctx))
	n, leavings := e.blobs.Sweep(ctx, e.opts.Now().Add(-late))
	s.Leavings = n
	return s, errors.Join(err, leavings)
}

// deleteOldDays removes the counters of days that are over.
func (e *Engine) deleteOldDays(ctx context.Context) error {
	before := utcDay(e.opts.Now().Add(-7 * 24 * time.Hour))
	return e.db.WriteDeletion(ctx, func(tx *store.Tx) error { return tx.DeleteUploadDays(before) })
}

// sweepForms deletes closed forms that were not used, those whose upload a newer
// one of the same slot has replaced, and those that no workflow has used in time.
func (e *Engine) sweepForms(ctx context.Context, s *Swept) error {
	before := e.opts.Now().Add(-late)
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
			if err := e.sweepForm(ctx, u, s); err != nil {
				return err
			}
		}
	}
}

func (e *Engine) sweepForm(ctx context.Context, u store.Upload, s *Swept) error {
	if err := e.settleForm(ctx, u); err != nil || !u.UsedAt.IsZero() {
		return err
	}
	if e.opts.Now().Sub(u.CreatedAt) < e.opts.Limits.UnusedTTL {
		if current, err := e.current(ctx, u); err != nil || current {
			return err
		}
	}
	var gone bool
	err := e.db.WriteDeletion(ctx, func(tx *store.Tx) (err error) {
		gone, err = tx.DeleteUpload(u)
		return err
	})
	if err != nil || !gone {
		return err
	}
	s.Forms++
	return e.discard(ctx, u.Key)
}

// current reports whether an upload is what its slot shows. It also reports true
// where that is not known, because pictures of its account cannot be decoded now.
func (e *Engine) current(ctx context.Context, u store.Upload) (bool, error) {
	key, _, err := e.Input(ctx, u.Wallet, u.ProjectID, u.Slot)
	switch {
	case atelier.HasCode(err, atelier.CodeNotFound):
		return false, nil
	case atelier.HasCode(err, atelier.CodeRateLimited), atelier.HasCode(err, atelier.CodeUnavailable):
		return true, nil
	}
	return key == u.Key, err
}

func (e *Engine) sweepAssets(ctx context.Context, s *Swept) error {
	now := e.opts.Now()
	for _, round := range []struct {
		state  atelier.AssetState
		before time.Time // assets used since then have not expired
	}{
		{atelier.AssetUploading, now.Add(-e.opts.Limits.FinalizeWindow)},
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

// retire removes an asset that has expired by the plan of its owner.
func (e *Engine) retire(ctx context.Context, a atelier.Asset, s *Swept) error {
	plan, err := e.opts.Plan(ctx, a.Wallet)
	if err != nil {
		return err
	}
	over := a.ExpiresAt(plan)
	if a.State == atelier.AssetUploading {
		over = over.Add(late)
	}
	if e.opts.Now().Before(over) || (a.State == atelier.AssetReady && plan.Active()) {
		return nil
	}
	_, missing := e.blobs.Stat(ctx, a.BlobKey)
	err = e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
		if a.State == atelier.AssetUploading && errors.Is(missing, blob.ErrNotFound) {
			if err := tx.ReturnUploadBytes(a.Wallet, utcDay(a.UsedAt), a.Bytes); err != nil {
				return err
			}
		}
		return tx.DeleteAsset(a.Wallet, a.ID)
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil // its owner has removed it
	}
	if err != nil {
		return err
	}
	s.Assets++
	return e.discard(ctx, a.BlobKey)
}

// prefixes maps key prefixes to how long an object may wait for the row that names
// it. The row of an input or a LoRA exists before the object; that of a result is written
// when its job is settled; a preview never has one.
var prefixes = map[string]time.Duration{"inputs/": 0, "assets/": 0, "loras/": 0, "results/": 24 * time.Hour}

const (
	// fewObjects is how many objects without a row are always removed.
	fewObjects = 100

	// mostObjects is how many objects one sweep removes. The next one continues.
	mostObjects = 100_000
)

// sweepObjects removes objects that no row names. When they are more than a
// tenth of all, the database is more likely to be the wrong one than the objects
// to be garbage, and nothing is removed.
func (e *Engine) sweepObjects(ctx context.Context, s *Swept, forced bool) error {
	var unnamed []string
	all, lost := 0, 0
	for prefix, young := range prefixes {
		for entry, err := range e.blobs.List(ctx, prefix, "") {
			if err != nil {
				return err
			}
			all++
			if young > 0 && e.opts.Now().Sub(entry.ModTime) < young {
				continue
			}
			if isPreview(entry.Key) {
				s.Previews++
				if err := e.blobs.Delete(ctx, entry.Key); err != nil {
					return err
				}
				continue
			}
			named, err := e.named(ctx, ofThumbnail(entry.Key))
			if err != nil {
				return err
			}
			if named {
				continue
			}
			if lost++; len(unnamed) < mostObjects {
				unnamed = append(unnamed, entry.Key)
			}
		}
	}
	if lost > 0 && !forced {
		if err := e.checkShare(ctx, lost, all); err != nil {
			return err
		}
	}
	for _, key := range unnamed {
		if err := e.discard(ctx, key); err != nil {
			return err
		}
		s.Objects++
	}
	return nil
}

// checkShare refuses to remove so large a share of the objects that the database is more
// likely to be the wrong one.
func (e *Engine) checkShare(ctx context.Context, lost, all int) error {
	var some bool
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		some, err = tx.HasMedia()
		return err
	})
	switch {
	case err != nil:
		return err
	case !some:
		return fmt.Errorf("the storage has %d objects and the database names none, so nothing was removed: check database_url and storage_url; "+
			"if they are right, run atelier storage sweep --force", lost)
	case lost > max(fewObjects, all/10):
		return fmt.Errorf("the database does not name %d of the %d objects in the storage, more than a tenth, so nothing was removed: check whether the database is "+
			"older than the media; if it is right, run atelier storage sweep --force", lost, all)
	}
	return nil
}

// isPreview reports whether a key is that of a preview, which no row ever names.
func isPreview(key string) bool { return isResult(key) && strings.HasSuffix(key, "-preview") }

// named reports whether a row names an object.
func (e *Engine) named(ctx context.Context, key string) (named bool, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		named, err = tx.KeyNamed(key)
		return err
	})
	return named, err
}
