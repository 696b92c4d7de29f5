package media

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
)

// assetTypes are the content types that can be saved.
var assetTypes = slices.Concat([]string{"image/png", "image/jpeg", "image/webp"}, videoTypes, audioTypes)

// AssetRecord is a saved asset as clients see it.
type AssetRecord struct {
	ID          string             `json:"id"`
	Name        string             `json:"name"`
	Bytes       int64              `json:"bytes"`
	ContentType string             `json:"contentType"`
	State       atelier.AssetState `json:"state"`
	CreatedAt   int64              `json:"createdAt"`
	ExpiresAt   int64              `json:"expiresAt"`
	SHA256      string             `json:"-"`
}

func recordOf(a atelier.Asset, plan atelier.Subscription) AssetRecord {
	return AssetRecord{
		ID: a.ID, Name: a.Name, Bytes: a.Bytes, ContentType: a.ContentType, State: a.State,
		CreatedAt: a.CreatedAt.UnixMilli(), ExpiresAt: a.ExpiresAt(plan).UnixMilli(), SHA256: a.SHA256,
	}
}

// AssetLimits are the limits of a library.
type AssetLimits struct {
	Entries         int   `json:"entries"`
	Bytes           int64 `json:"bytes"`
	FileBytes       int64 `json:"fileBytes"`
	IdleDays        int   `json:"idleDays"`
	CopyBytesPerDay int64 `json:"copyBytesPerDay"`
	BindingsPerDay  int   `json:"bindingsPerDay"`
}

// AssetLimits returns the limits.
func (e *Engine) AssetLimits() AssetLimits {
	l := e.opts.Limits
	return AssetLimits{l.AssetEntries, l.LibraryBytes, l.AssetBytes, int(atelier.AssetIdle.Hours() / 24), l.CopyBytesADay, l.BindingsADay}
}

// Assets lists an account's library, newest first. It needs no plan.
func (e *Engine) Assets(ctx context.Context, w atelier.Wallet) ([]AssetRecord, error) {
	plan, err := e.opts.Plan(ctx, w)
	if err != nil {
		return nil, err
	}
	records := []AssetRecord{}
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		assets, err := tx.Assets(w)
		for _, a := range assets {
			records = append(records, recordOf(a, plan))
		}
		return err
	})
	return records, err
}

// AssetsEnabled reports whether an account can save now: with a plan, and a
// storage that answers.
func (e *Engine) AssetsEnabled(ctx context.Context, w atelier.Wallet) (bool, error) {
	plan, err := e.opts.Plan(ctx, w)
	if err != nil || !plan.Active() {
		return false, err
	}
	return e.blobs.Ping(ctx) == nil, nil
}

// subscriber returns the plan of an account, or refuses an account without one.
func (e *Engine) subscriber(ctx context.Context, w atelier.Wallet) (atelier.Subscription, error) {
	plan, err := e.opts.Plan(ctx, w)
	if err == nil && !plan.Active() {
		err = atelier.Errorf(atelier.CodeNoUnlimitedAccess, "Saved uploads need an active Unlimited or Unlimited Pro plan.")
	}
	return plan, err
}

// NewAsset announces a file to save.
type NewAsset struct {
	SHA256      string
	Bytes       int64
	ContentType string
	Name        string
}

// PreparedAsset is a saved asset, or one that waits for its bytes.
type PreparedAsset struct {
	AssetRecord
	Reused        bool              `json:"reused"`
	UploadURL     string            `json:"uploadUrl,omitempty"`
	UploadHeaders map[string]string `json:"uploadHeaders,omitempty"`
}

func (n NewAsset) check(limit int64) error {
	hexadecimal := len(n.SHA256) == 64
	for _, c := range []byte(n.SHA256) {
		hexadecimal = hexadecimal && ('0' <= c && c <= '9' || 'a' <= c && c <= 'f')
	}
	switch {
	case !hexadecimal:
		return atelier.Refuse("sha256", "must be 64 lower-case hexadecimal digits.")
	case n.Bytes < 1 || n.Bytes > limit:
		return atelier.Refuse("bytes", "must be between 1 and %d.", limit)
	case !slices.Contains(assetTypes, n.ContentType):
		return atelier.Refuse("contentType", "must be one of %s.", strings.Join(assetTypes, ", "))
	}
	return nil
}

// Prepare finds the asset with these bytes, or adds an entry for it and signs its
// upload.
func (e *Engine) Prepare(ctx context.Context, w atelier.Wallet, n NewAsset) (PreparedAsset, error) {
	a, plan, err := e.prepare(ctx, w, n)
	if err != nil {
		return PreparedAsset{}, err
	}
	out := PreparedAsset{AssetRecord: recordOf(a, plan), Reused: a.State == atelier.AssetReady}
	if out.Reused {
		return out, nil
	}
	put, err := e.blobs.PutURL(ctx, a.BlobKey, blob.PutTerms{
		ContentType: a.ContentType, Size: a.Bytes, SHA256: a.SHA256, Account: string(w), Until: e.opts.Now().Add(e.opts.Limits.PutWindow),
	})
	out.UploadURL, out.UploadHeaders = put.URL, put.Headers
	return out, err
}

// prepare finds the asset with these bytes, or adds an entry for it.
func (e *Engine) prepare(ctx context.Context, w atelier.Wallet, n NewAsset) (a atelier.Asset, plan atelier.Subscription, err error) {
	if err := n.check(e.opts.Limits.AssetBytes); err != nil {
		return a, plan, err
	}
	if plan, err = e.subscriber(ctx, w); err != nil {
		return a, plan, err
	}
	if err := e.checkSpace(n.Bytes); err != nil {
		return a, plan, err
	}
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.LockAccount(w); err != nil { // two concurrent calls would both be within the limit
			return err
		}
		a, err = e.findOrAdd(tx, w, n)
		return err
	})
	return a, plan, err
}

// Save saves a file that came inside a request, or finds the asset with the same bytes.
func (e *Engine) Save(ctx context.Context, w atelier.Wallet, name string, data []byte) (AssetRecord, error) {
	sum := sha256.Sum256(data)
	n := NewAsset{SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(data)), ContentType: filetype.Detect(data[:min(len(data), filetype.HeadSize)]), Name: name}
	if !slices.Contains(assetTypes, n.ContentType) {
		return AssetRecord{}, atelier.Refuse("file", "must be a file of one of the types %s.", strings.Join(assetTypes, ", "))
	}
	if n.Bytes > e.opts.Limits.AssetBytes {
		return AssetRecord{}, atelier.Refuse("file", "is larger than %d bytes.", e.opts.Limits.AssetBytes)
	}
	a, plan, err := e.prepare(ctx, w, n)
	if err != nil || a.State == atelier.AssetReady {
		return recordOf(a, plan), err
	}
	if err := e.inspect(ctx, string(w), n.ContentType, bytes.NewReader(data)); err != nil {
		return AssetRecord{}, err
	}
	if _, err := e.blobs.Put(ctx, a.BlobKey, bytes.NewReader(data), blob.PutOptions{ContentType: n.ContentType}); err != nil {
		return AssetRecord{}, err
	}
	return e.Finalize(ctx, w, a.ID)
}

// Asset reads a saved asset of an account.
func (e *Engine) Asset(ctx context.Context, w atelier.Wallet, id string) (AssetRecord, error) {
	list, err := e.Assets(ctx, w)
	for _, a := range list {
		if a.ID == id && a.State == atelier.AssetReady {
			return a, err
		}
	}
	if err == nil {
		err = errNoAsset(id)
	}
	return AssetRecord{}, err
}

// findOrAdd finds or adds the row of an announced file.
func (e *Engine) findOrAdd(tx *store.Tx, w atelier.Wallet, n NewAsset) (atelier.Asset, error) {
	now := e.opts.Now()
	a, err := tx.AssetBySHA256(w, n.SHA256)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return e.add(tx, w, n)
	case err != nil:
		return a, err
	case a.State == atelier.AssetReady:
		a.UsedAt = now
		return a, tx.UseAsset(w, a.ID, now)
	}
	// It was announced before and not finished: the entry stays, with a new
	// deadline. The bytes may have been uploaded, so the key stays where it can.
	moved := a.ContentType != n.ContentType || a.Bytes != n.Bytes || !now.Before(a.FinalizeUntil)
	if moved {
		a.BlobKey = newKey("assets", a.ID, "asset", n.ContentType)
	}
	if moved || utcDay(a.UsedAt) != utcDay(now) { // its bytes count on the day of its last use
		if err := e.count(tx, w, 0, n.Bytes); err != nil {
			return a, err
		}
	}
	a.Name, a.ContentType, a.Bytes = nameOf(n), n.ContentType, n.Bytes
	a.FinalizeUntil, a.UsedAt = now.Add(e.opts.Limits.FinalizeWindow), now
	return a, tx.RenewUpload(a)
}

func (e *Engine) add(tx *store.Tx, w atelier.Wallet, n NewAsset) (atelier.Asset, error) {
	entries, bytes, err := tx.LibrarySize(w)
	if err != nil {
		return atelier.Asset{}, err
	}
	if entries >= int64(e.opts.Limits.AssetEntries) || bytes+n.Bytes > e.opts.Limits.LibraryBytes {
		return atelier.Asset{}, atelier.Errorf(atelier.CodeLibraryFull, "Your saved upload library is full. Remove something from it first.").
			With("entries", entries).With("bytes", bytes)
	}
	if err := e.count(tx, w, 1, n.Bytes); err != nil {
		return atelier.Asset{}, err
	}
	now, id := e.opts.Now(), mint.UUID()
	a := atelier.Asset{
		ID: id, Wallet: w, Name: nameOf(n), Bytes: n.Bytes, ContentType: n.ContentType, SHA256: n.SHA256,
		State: atelier.AssetUploading, BlobKey: newKey("assets", id, "asset", n.ContentType),
		CreatedAt: now, FinalizeUntil: now.Add(e.opts.Limits.FinalizeWindow), UsedAt: now,
	}
	return a, tx.InsertAsset(a)
}

// nameOf is the name of an asset, or a default one.
func nameOf(n NewAsset) string {
	if n.Name != "" {
		return n.Name
	}
	return filetype.Kind(n.ContentType) + "-" + n.SHA256[:8] + filetype.Extension(n.ContentType)
}

// DeleteAsset removes an asset from the library. Copies in projects stay.
func (e *Engine) DeleteAsset(ctx context.Context, w atelier.Wallet, id string) error {
	return e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
		a, err := tx.Asset(w, id)
		if err == nil {
			err = tx.DeleteAsset(w, id)
		}
		if errors.Is(err, store.ErrNotFound) {
			return errNoAsset(id)
		}
		// If this fails, the sweeper removes the object: no row names it any more.
		tx.OnCommit(func() { _ = e.blobs.Delete(context.WithoutCancel(ctx), a.BlobKey) })
		return err
	})
}

func errNoAsset(id string) error {
	return atelier.Missing("id", id, "saved upload")
}
