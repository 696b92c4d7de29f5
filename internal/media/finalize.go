package media

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/store"
)

// finalizeLock is how long one finalize may take before another may try.
const finalizeLock = 2 * time.Minute

// Finalize verifies the size, type and checksum of an upload and makes it
// ready. Of two calls at once, one is refused because the entry is busy.
func (e *Engine) Finalize(ctx context.Context, w atelier.Wallet, id string) (AssetRecord, error) {
	plan, err := e.subscriber(ctx, w)
	if err != nil {
		return AssetRecord{}, err
	}
	a, err := e.lock(ctx, w, id)
	if err != nil {
		return AssetRecord{}, err
	}
	if a.State == atelier.AssetReady {
		return recordOf(a, plan), nil
	}
	if err := e.verify(ctx, a); err != nil {
		return AssetRecord{}, errors.Join(err, e.unlock(ctx, a))
	}
	now := e.opts.Now()
	err = e.db.Write(ctx, func(tx *store.Tx) error { return tx.FinishAsset(w, id, now) })
	if errors.Is(err, store.ErrNotFound) {
		err = errNoAsset(id) // removed meanwhile
	}
	a.State, a.UsedAt = atelier.AssetReady, now
	return recordOf(a, plan), err
}

// lock reserves an asset for one finalize. One that is ready is returned without a
// lock.
func (e *Engine) lock(ctx context.Context, w atelier.Wallet, id string) (a atelier.Asset, err error) {
	now := e.opts.Now()
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		a, err = tx.Asset(w, id)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return errNoAsset(id)
		case err != nil || a.State == atelier.AssetReady:
			return err
		case !now.Before(a.FinalizeUntil):
			return atelier.Errorf(atelier.CodeAssetExpired, "The upload was not finalized in time: prepare it again.")
		}
		err = tx.LockAsset(w, id, now, now.Add(finalizeLock))
		if errors.Is(err, store.ErrNotFound) {
			if a, err = tx.Asset(w, id); err == nil && a.State == atelier.AssetReady {
				return nil // another call has finished it
			}
			busy := atelier.Errorf(atelier.CodeAssetBusy, "Another request is finalizing this upload: try again in a moment.")
			busy.RetryAfter = time.Second
			return busy
		}
		return err
	})
	return a, err
}

func (e *Engine) unlock(ctx context.Context, a atelier.Asset) error {
	return e.db.Write(context.WithoutCancel(ctx), func(tx *store.Tx) error { return tx.UnlockAsset(a.Wallet, a.ID) })
}

// verify compares the stored object with what was announced. An object that differs
// is removed, so that the right one can be sent.
func (e *Engine) verify(ctx context.Context, a atelier.Asset) error {
	content, object, err := e.blobs.Open(ctx, a.BlobKey)
	if errors.Is(err, blob.ErrNotFound) {
		return atelier.Errorf(atelier.CodeAssetMismatch, "The file has not been uploaded yet.")
	}
	if err != nil {
		return err
	}
	defer content.Close()
	err = matches(a, object, content)
	if err == nil && e.opts.Unchecked { // otherwise it was inspected before it appeared, and cannot be replaced
		err = e.inspectAsset(ctx, a, content)
	}
	if atelier.HasCode(err, atelier.CodeAssetMismatch) {
		_ = e.blobs.Delete(ctx, a.BlobKey)
	}
	return err
}

// inspectAsset checks the content of an asset that the storage has not inspected.
func (e *Engine) inspectAsset(ctx context.Context, a atelier.Asset, content io.ReadSeeker) error {
	err := e.inspect(ctx, string(a.Wallet), a.ContentType, content)
	var wrong *atelier.Error
	if errors.As(err, &wrong) && wrong.Code.Kind == atelier.KindInvalid {
		return atelier.Errorf(atelier.CodeAssetMismatch, "%s", wrong.Message)
	}
	return err
}

func matches(a atelier.Asset, object blob.Object, content io.ReadSeeker) error {
	if object.Size != a.Bytes {
		return atelier.Errorf(atelier.CodeAssetMismatch, "The uploaded file has %d bytes instead of %d.", object.Size, a.Bytes)
	}
	if filetype.Canonical(object.ContentType) != filetype.Canonical(a.ContentType) {
		return atelier.Errorf(atelier.CodeAssetMismatch, "The uploaded file is %s instead of %s.", object.ContentType, a.ContentType)
	}
	sum := object.SHA256
	if sum == "" { // a storage that does not report it
		digest := sha256.New()
		if _, err := io.Copy(digest, content); err != nil {
			return err
		}
		sum = hex.EncodeToString(digest.Sum(nil))
	}
	if sum != a.SHA256 {
		return atelier.Errorf(atelier.CodeAssetMismatch, "The uploaded file does not have the announced checksum.")
	}
	return nil
}
