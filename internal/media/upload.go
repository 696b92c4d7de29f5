package media

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
)

// UploadRequest asks for a form.
type UploadRequest struct {
	Endpoint    Endpoint
	Type        string
	ProjectID   atelier.ProjectID
	ID          string
	ContentType string
}

// UploadForm is a signed form and what it takes.
type UploadForm struct {
	URL                 string            `json:"url"`
	Fields              map[string]string `json:"fields"`
	MaxSizeBytes        int64             `json:"maxSizeBytes"`
	AllowedContentTypes []string          `json:"allowedContentTypes"`
}

// IsResult reports whether the request is for a worker's result. The fleet answers
// those requests; this package answers those for uploads of artists.
func (r UploadRequest) IsResult() bool {
	t, err := findSlotType(r.Endpoint, r.Type)
	return err == nil && t.worker
}

// Check refuses a request that names no slot, and returns the content types that
// its slot takes.
func (r UploadRequest) Check() (allowed []string, err error) {
	t, err := r.slotType()
	if err == nil && t.worker {
		err = CheckProjectID(r.idField(), r.ID)
	}
	return t.allowed, err
}

func (r UploadRequest) slotType() (slotType, error) {
	t, err := findSlotType(r.Endpoint, r.Type)
	if err != nil {
		return t, err
	}
	if err := CheckProjectID("jobId", string(r.ProjectID)); err != nil {
		return t, err
	}
	return t, t.checkContentType(r.ContentType)
}

// UploadURL signs a form for one slot of a project. The first account to name
// a project id owns it.
func (e *Engine) UploadURL(ctx context.Context, c atelier.Caller, r UploadRequest) (UploadForm, error) {
	t, err := r.slotType()
	if err != nil {
		return UploadForm{}, err
	}
	slot, err := t.slot(r.slotID())
	if err != nil {
		return UploadForm{}, err
	}
	key, err := e.addUpload(ctx, c.Wallet, r, slot)
	if err != nil {
		return UploadForm{}, err
	}
	return SignForm(ctx, e.blobs, key, blob.FormTerms{
		ContentType: r.ContentType, Allowed: t.allowed,
		MaxBytes: e.opts.Limits.UploadBytes, Account: string(c.Wallet), Until: e.opts.Now().Add(e.opts.Limits.FormTTL),
	})
}

// SignForm signs a form for a key. Terms that pin a content type allow no other.
func SignForm(ctx context.Context, blobs blob.SignedStore, key string, terms blob.FormTerms) (UploadForm, error) {
	if terms.ContentType != "" {
		terms.Allowed = []string{terms.ContentType}
	}
	form, err := blobs.Form(ctx, key, terms)
	if err != nil {
		return UploadForm{}, err
	}
	return UploadForm{form.URL, form.Fields, terms.MaxBytes, terms.Allowed}, nil
}

// addUpload inserts the row of an upload into a slot, and returns its new key.
func (e *Engine) addUpload(ctx context.Context, w atelier.Wallet, r UploadRequest, slot string) (string, error) {
	u := store.Upload{
		Key: newKey("inputs", string(r.ProjectID), slot, r.ContentType), ProjectID: r.ProjectID, Slot: slot, Wallet: w,
		ContentType: r.ContentType, CreatedAt: e.opts.Now(), OpenUntil: e.opts.Now().Add(e.opts.Limits.FormTTL),
	}
	if err := e.checkSpace(0); err != nil {
		return "", err
	}
	if e.opts.Unchecked {
		// Such a storage does not report how much was uploaded. The maximum is
		// reserved until the form has expired and the sweeper has checked.
		u.Reserved = e.opts.Limits.UploadBytes
	}
	err := e.db.Write(ctx, func(tx *store.Tx) error {
		if err := e.claim(tx, r.ProjectID, w); err != nil {
			return err
		}
		if err := e.count(tx, w, 1, u.Reserved); err != nil {
			return err
		}
		return tx.InsertUpload(u)
	})
	return u.Key, err
}

// claim assigns a project id to an account, or refuses when it is another
// account's.
func (e *Engine) claim(tx *store.Tx, projectID atelier.ProjectID, w atelier.Wallet) error {
	owner, err := tx.ClaimProject(projectID, w, e.opts.Now())
	if err == nil && !owner.Equal(w) {
		return atelier.Errorf(atelier.CodeJobClaimed, "The id %s belongs to another account: choose another.", projectID)
	}
	return err
}

// idField is the parameter that names an artifact.
func (r UploadRequest) idField() string {
	if r.Endpoint == ImageEndpoint {
		return "imageId"
	}
	return "id"
}

// slotID is the numbered slot of an artist's upload. Images have none: clients send
// an imageId with every image, and that of an artist is ignored.
func (r UploadRequest) slotID() string {
	if r.Endpoint == ImageEndpoint {
		return ""
	}
	return r.ID
}

// MissingID turns a not-found error about an artifact into one that names the
// parameter of this request.
func (r UploadRequest) MissingID(err error, what string) error {
	var e *atelier.Error
	if errors.As(err, &e) && e.Code.Number == atelier.CodeNotFound.Number && e.Field == "id" {
		return atelier.Missing(r.idField(), r.ID, what)
	}
	return err
}

// newKey is a key that was never used before, and sorts after older ones. It
// contains only a digest of the id of the project or asset, because an id may have
// characters that a path does not allow. The extension is that of the type, where
// the type is known.
func newKey(folder, id, slot, contentType string) string {
	sum := sha256.Sum256([]byte(id))
	return folder + "/" + hex.EncodeToString(sum[:12]) + "/" + slot + "-" + mint.OrderedUUID() + filetype.Extension(contentType)
}

// DownloadRequest asks for the upload in a slot or for a worker's result.
type DownloadRequest struct {
	UploadRequest
	Artifact string // lastFrame, or empty
}

// DownloadURL signs the reading of an upload of the caller's own project.
func (e *Engine) DownloadURL(ctx context.Context, c atelier.Caller, r DownloadRequest) (string, error) {
	t, err := r.slotType()
	if err != nil {
		return "", err
	}
	if r.Artifact != "" {
		return "", atelier.Missing("artifact", r.Artifact, "part of an upload of the type "+r.Type)
	}
	slot, err := t.slot(r.slotID())
	if err != nil {
		return "", err
	}
	key, contentType, err := e.Input(ctx, c.Wallet, r.ProjectID, slot)
	if err != nil {
		return "", err
	}
	terms := blob.GetTerms{Until: e.opts.Now().Add(e.opts.Limits.DownloadTTL)}
	if e.opts.Unchecked {
		terms.ContentType = contentType // the storage may not know it
	}
	r.PinContentType(&terms, contentType)
	return e.blobs.GetURL(ctx, key, terms)
}

// PinContentType makes the storage serve an object with the content type of the
// request, where both are of one kind, such as images.
func (r UploadRequest) PinContentType(terms *blob.GetTerms, contentType string) {
	if r.ContentType != "" && filetype.Kind(r.ContentType) == filetype.Kind(contentType) {
		terms.ContentType = r.ContentType
	}
}

// Input finds what an account uploaded last into a slot of a project: its key
// and content type.
func (e *Engine) Input(ctx context.Context, w atelier.Wallet, projectID atelier.ProjectID, slot string) (key, contentType string, err error) {
	var uploads []store.Upload
	err = e.db.Read(ctx, func(tx *store.Tx) (err error) {
		uploads, err = tx.Uploads(projectID, slot, w)
		return err
	})
	if err != nil {
		return "", "", err
	}
	for _, u := range slices.Backward(uploads) { // the newest that was uploaded
		object, err := e.blobs.Stat(ctx, u.Key)
		if errors.Is(err, blob.ErrNotFound) {
			continue
		}
		if err != nil || !e.opts.Unchecked {
			return u.Key, object.ContentType, err
		}
		kind, err := e.inspectStored(ctx, u, object)
		if atelier.HasCode(err, atelier.CodeInvalidRequest) {
			continue // the slot does not allow it, and it is removed
		}
		return u.Key, kind, err
	}
	return "", "", atelier.Missing("jobId", string(projectID), "upload as "+slot)
}
