package library

import (
	"context"
	"errors"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/store"
)

// Delete deletes an artifact of an account, with its file. It refuses one that a workflow
// uses that is not over.
func (e *Engine) Delete(ctx context.Context, w atelier.Wallet, id string) error {
	return e.db.Write(ctx, func(tx *store.Tx) error { return e.delete(ctx, tx, w, id) })
}

func (e *Engine) delete(ctx context.Context, tx *store.Tx, w atelier.Wallet, id string) error {
	item, keys, err := tx.LockLibraryItem(w, id)
	if errors.Is(err, store.ErrNotFound) {
		return errNotFound(id)
	}
	if err != nil {
		return err
	}
	user, err := tx.ItemUser(item, keys)
	if err == nil {
		return atelier.Errorf(atelier.CodeWrongState, "A workflow that is not over uses this artifact. Delete it when the workflow has ended, or cancel the workflow.").
			With("workflowId", string(user))
	}
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	err = tx.DeleteLibraryItem(item, keys)
	if errors.Is(err, store.ErrNotFound) { // another request has deleted it while this one waited for the lock
		return errNotFound(id)
	}
	if err != nil {
		return err
	}
	if preview, ok := previewOf(item); ok {
		keys = append(keys, preview)
	}
	// If this fails, the sweeper removes the objects: no row names them any more.
	tx.OnCommit(func() {
		for _, key := range keys {
			for _, object := range append(media.Thumbnails(key), key) {
				_ = e.blobs.Delete(context.WithoutCancel(ctx), object)
			}
		}
	})
	return nil
}

// deletedAtOnce is how many artifacts one change deletes.
const deletedAtOnce = 25

// Deleted says what happened to several artifacts.
type Deleted struct {
	Deleted []string     `json:"deleted"`
	Failed  []NotDeleted `json:"failed"`
}

// NotDeleted is an artifact that was not deleted, and why.
type NotDeleted struct {
	ArtifactID string `json:"artifactId"`
	ErrorCode  int    `json:"errorCode"`
	Message    string `json:"message"`
}

// DeleteSeveral deletes the artifacts of an account that can be deleted.
func (e *Engine) DeleteSeveral(ctx context.Context, w atelier.Wallet, ids []string) (Deleted, error) {
	out := Deleted{Deleted: []string{}, Failed: []NotDeleted{}}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	for some := range slices.Chunk(ids, deletedAtOnce) {
		var done Deleted
		err := e.db.Write(ctx, func(tx *store.Tx) error {
			done = Deleted{}
			for _, id := range some {
				err := e.delete(ctx, tx, w, id)
				var refused *atelier.Error
				switch {
				case errors.As(err, &refused):
					done.Failed = append(done.Failed, NotDeleted{id, refused.Code.Number, refused.Message})
				case err != nil:
					return err
				default:
					done.Deleted = append(done.Deleted, id)
				}
			}
			return nil
		})
		if err != nil {
			return out, err
		}
		out.Deleted, out.Failed = append(out.Deleted, done.Deleted...), append(out.Failed, done.Failed...)
	}
	return out, nil
}
