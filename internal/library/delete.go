package library

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/store"
)

// Delete deletes an artifact of an account, with its file. It refuses one that a workflow
// uses that is not over.
func (e *Engine) Delete(ctx context.Context, w atelier.Wallet, id string) error {
	return e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
		objects, err := e.delete(tx, w, id)
		e.deleteObjects(ctx, tx, objects)
		return err
	})
}

// deletions is how many objects are deleted at once. Each is a request where they are on S3.
const deletions = 16

// deleteObjects deletes objects when the change is durable. If this fails, the sweeper removes
// them: no row names them any more.
func (e *Engine) deleteObjects(ctx context.Context, tx *store.Tx, objects []string) {
	tx.OnCommit(func() {
		left := make(chan string)
		var running sync.WaitGroup
		for range min(deletions, len(objects)) {
			running.Go(func() {
				for object := range left {
					_ = e.blobs.Delete(context.WithoutCancel(ctx), object)
				}
			})
		}
		for _, object := range objects {
			left <- object
		}
		close(left)
		running.Wait()
	})
}

// delete deletes the row of an artifact, and returns the objects that belong to it.
func (e *Engine) delete(tx *store.Tx, w atelier.Wallet, id string) (objects []string, err error) {
	item, keys, err := tx.LockLibraryItem(w, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, errNotFound(id)
	}
	if err != nil {
		return nil, err
	}
	user, err := tx.ItemUser(item, keys)
	if err == nil {
		return nil, atelier.Errorf(atelier.CodeWrongState, "A workflow that is not over uses this artifact. Delete it when the workflow has ended, or cancel the workflow.").
			With("workflowId", string(user))
	}
	if !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	err = tx.DeleteLibraryItem(item, keys)
	if errors.Is(err, store.ErrNotFound) { // another request has deleted it while this one waited for the lock
		return nil, errNotFound(id)
	}
	if err != nil {
		return nil, err
	}
	if preview, ok := previewOf(item); ok {
		keys = append(keys, preview)
	}
	for _, key := range keys {
		objects = append(append(objects, media.Thumbnails(key)...), key)
	}
	return objects, nil
}

// deletedAtOnce is how many artifacts one change deletes.
const deletedAtOnce = 25

// DeleteSeveral deletes the artifacts of an account that can be deleted.
func (e *Engine) DeleteSeveral(ctx context.Context, w atelier.Wallet, ids []string) (apitype.DeletedArtifacts, error) {
	out := apitype.DeletedArtifacts{Deleted: []string{}, Failed: []apitype.NotDeleted{}}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	for some := range slices.Chunk(ids, deletedAtOnce) {
		var done apitype.DeletedArtifacts
		err := e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
			done = apitype.DeletedArtifacts{}
			var objects []string
			for _, id := range some {
				of, err := e.delete(tx, w, id)
				objects = append(objects, of...)
				var refused *atelier.Error
				switch {
				case errors.As(err, &refused):
					done.Failed = append(done.Failed, apitype.NotDeleted{ArtifactID: id, ErrorCode: refused.Code.Number, Message: refused.Message})
				case err != nil:
					return err
				default:
					done.Deleted = append(done.Deleted, id)
				}
			}
			e.deleteObjects(ctx, tx, objects)
			return nil
		})
		if err != nil {
			return out, err
		}
		out.Deleted, out.Failed = append(out.Deleted, done.Deleted...), append(out.Failed, done.Failed...)
	}
	return out, nil
}
