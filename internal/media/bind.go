package media

import (
	"context"
	"errors"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/admission"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/store"
)

// Binding puts a saved asset into a slot of a project.
type Binding struct {
	AssetID   string
	ProjectID atelier.ProjectID
	Type      string
	ID        string
}

// Bound is the result of a binding.
type Bound struct {
	AssetID     string            `json:"assetId"`
	ProjectID   atelier.ProjectID `json:"projectId"`
	Type        string            `json:"type"`
	ContentType string            `json:"contentType"`
}

// Bind copies a saved asset into a project that is about to be submitted.
func (e *Engine) Bind(ctx context.Context, w atelier.Wallet, b Binding) (Bound, error) {
	if !atelier.IsUUID(string(b.ProjectID)) {
		return Bound{}, atelier.Refuse("projectId", "must be a UUID.")
	}
	t, err := inputType(b.Type)
	if err != nil {
		return Bound{}, err
	}
	slot, err := t.slot(b.ID)
	if err != nil {
		return Bound{}, err
	}
	if _, err := e.subscriber(ctx, w); err != nil {
		return Bound{}, err
	}
	var a atelier.Asset
	u := store.Upload{ProjectID: b.ProjectID, Slot: slot, Wallet: w, CreatedAt: e.opts.Now(), OpenUntil: e.opts.Now().Add(e.opts.Limits.FormTTL)}
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if a, err = e.bindable(tx, w, b.AssetID, t); err != nil {
			return err
		}
		if err := e.claim(tx, b.ProjectID, w); err != nil {
			return err
		}
		if err := e.countBinding(tx, a); err != nil {
			return err
		}
		u.Key, u.ContentType = newKey("inputs", string(b.ProjectID), slot, a.ContentType), a.ContentType
		if err := tx.InsertUpload(u); err != nil {
			return err
		}
		return tx.UseAsset(w, a.ID, e.opts.Now())
	})
	if err != nil {
		return Bound{}, err
	}
	if err := e.blobs.Copy(ctx, a.BlobKey, u.Key); err != nil {
		return Bound{}, err // the slot shows what it showed before
	}
	return Bound{AssetID: a.ID, ProjectID: b.ProjectID, Type: b.Type, ContentType: a.ContentType}, nil
}

// inputType finds an artist's slot type of either endpoint.
func inputType(name string) (slotType, error) {
	for _, t := range slotTypes {
		if t.name == name && !t.worker {
			return t, nil
		}
	}
	return slotType{}, atelier.Refuse("type", "must be an image input type such as startingImage, or referenceVideo or referenceAudio.")
}

func (e *Engine) bindable(tx *store.Tx, w atelier.Wallet, id string, t slotType) (atelier.Asset, error) {
	a, err := tx.Asset(w, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return a, errNoAsset(id)
	case err != nil:
		return a, err
	case a.State != atelier.AssetReady:
		return a, atelier.Errorf(atelier.CodeAssetMismatch, "This upload is not finished: finalize it first.")
	case filetype.Kind(a.ContentType) != filetype.Kind(t.allowed[0]):
		return a, atelier.Refuse("type", "does not fit a file of the type %s.", a.ContentType)
	}
	return a, nil
}

func (e *Engine) countBinding(tx *store.Tx, a atelier.Asset) error {
	now := e.opts.Now().UTC()
	bindings, bytes, err := tx.CountBinding(a.Wallet, utcDay(now), a.Bytes)
	if err != nil {
		return err
	}
	if bindings > int64(e.opts.Limits.BindingsADay) || bytes > e.opts.Limits.CopyBytesADay {
		return admission.TooManyOf(untilMidnight(now), "Today's limit for reusing saved uploads is reached. It resets at 00:00 UTC.")
	}
	return nil
}

// AssetURL signs the reading of a saved asset of an account, and returns the
// kind of media it is.
func (e *Engine) AssetURL(ctx context.Context, w atelier.Wallet, id string) (url, kind string, err error) {
	var a atelier.Asset
	err = e.db.Read(ctx, func(tx *store.Tx) (err error) {
		a, err = tx.Asset(w, id)
		return err
	})
	if errors.Is(err, store.ErrNotFound) || (err == nil && a.State != atelier.AssetReady) {
		return "", "", atelier.Errorf(atelier.CodeNotFound, "There is no saved upload %s, or it is not ready.", id)
	}
	if err != nil {
		return "", "", err
	}
	url, err = e.blobs.GetURL(ctx, a.BlobKey, blob.FixedTerms(e.opts.Now(), e.opts.Limits.DownloadTTL))
	return url, filetype.Kind(a.ContentType), err
}
