package media

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
)

// Keep stores media that came inside a request, as an upload of its account, and
// returns a signed URL for it. The row is committed before the object exists, as
// for any upload.
func (e *Engine) Keep(ctx context.Context, w atelier.Wallet, contentType string, data []byte) (string, error) {
	project, slot := atelier.ProjectID(mint.UUID()), inlineSlot(contentType)
	u := store.Upload{
		Key: newKey("inputs", string(project), slot, contentType), ProjectID: project, Slot: slot, Wallet: w,
		ContentType: contentType, CreatedAt: e.opts.Now(), OpenUntil: e.opts.Now(),
	}
	if err := e.checkSpace(int64(len(data))); err != nil {
		return "", err
	}
	err := e.db.Write(ctx, func(tx *store.Tx) error {
		if err := e.claim(tx, project, w); err != nil {
			return err
		}
		if err := e.count(tx, w, 1, int64(len(data))); err != nil {
			return err
		}
		return tx.InsertUpload(u)
	})
	if err != nil {
		return "", err
	}
	if _, err := e.blobs.Put(ctx, u.Key, bytes.NewReader(data), blob.PutOptions{ContentType: contentType}); err != nil {
		return "", err
	}
	return e.blobs.GetURL(ctx, u.Key, blob.GetTerms{Until: e.opts.Now().Add(e.opts.Limits.DownloadTTL)})
}

// KeepPicture checks a picture that came inside a request, and stores it.
func (e *Engine) KeepPicture(ctx context.Context, w atelier.Wallet, data []byte) (string, error) {
	contentType, err := e.CheckPicture(ctx, w, data)
	if err != nil {
		return "", err
	}
	return e.Keep(ctx, w, contentType, data)
}

// CheckPicture checks a picture that came inside a request as it does an upload, and returns its content type.
func (e *Engine) CheckPicture(ctx context.Context, w atelier.Wallet, data []byte) (contentType string, err error) {
	if int64(len(data)) > e.opts.Limits.UploadBytes {
		return "", atelier.Refuse("file", "is larger than %d bytes.", e.opts.Limits.UploadBytes)
	}
	contentType = filetype.Detect(data[:min(len(data), filetype.HeadSize)])
	if !slices.Contains([]string{"image/png", "image/jpeg", "image/webp"}, contentType) {
		return "", atelier.Refuse("file", "must be a picture: PNG, JPEG or WebP.")
	}
	return contentType, e.inspect(ctx, string(w), contentType, bytes.NewReader(data))
}

// inlineSlot is the slot to which a client would upload such media.
func inlineSlot(contentType string) string {
	switch kind, _, _ := strings.Cut(contentType, "/"); kind {
	case "audio":
		return "referenceAudio"
	case "video":
		return "referenceVideo"
	}
	return "startingImage"
}
