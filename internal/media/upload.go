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
	"github.com/atelier-project/atelier/internal/store"
)

// UploadRequest asks for a form.
type UploadRequest struct {
	Endpoint    Endpoint
	Type        string
	ProjectID   string
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

// UploadURL signs a form for one slot of a project. The first account to name
// a project id owns it.
func (e *Engine) UploadURL(ctx context.Context, c atelier.Caller, r UploadRequest) (UploadForm, error) {
	t, err := e.check(r)
	if err != nil {
		return UploadForm{}, err
	}
	place, err := e.placeUpload(ctx, c, t, r)
	if err != nil {
		return UploadForm{}, err
	}
	terms := blob.FormTerms{
		ContentType: place.ContentType, Allowed: t.allowed,
		MaxBytes: e.opts.Limits.UploadBytes, Account: string(c.Wallet), Until: e.opts.Now().Add(e.opts.Limits.FormTTL),
	}
	if place.ContentType != "" {
		terms.Allowed = []string{place.ContentType}
	}
	form, err := e.blobs.Form(ctx, place.Key, terms)
	if err != nil {
		return UploadForm{}, err
	}
	return UploadForm{form.URL, form.Fields, terms.MaxBytes, terms.Allowed}, nil
}

func (e *Engine) check(r UploadRequest) (slotType, error) {
	t, err := findSlotType(r.Endpoint, r.Type)
	if err != nil {
		return t, err
	}
	if err := CheckProjectID("jobId", r.ProjectID); err != nil {
		return t, err
	}
	return t, t.checkContentType(r.ContentType)
}

// placeUpload decides under which key an upload goes: a product's own, or a
// new one of the artist's slot.
func (e *Engine) placeUpload(ctx context.Context, c atelier.Caller, t slotType, r UploadRequest) (Place, error) {
	if t.worker {
		if err := productID(r); err != nil {
			return Place{}, err
		}
		place, err := e.opts.Produced(ctx, Product{Caller: c, ProjectID: r.ProjectID, ID: r.ID, Endpoint: r.Endpoint, Preview: r.Type == "preview", Upload: true})
		if err != nil {
			return Place{}, r.missing(err, "artifact of this job")
		}
		if r.ContentType != "" {
			place.ContentType = r.ContentType
		}
		return place, nil
	}
	slot, err := t.slot(r.slotID())
	if err != nil {
		return Place{}, err
	}
	u := store.Upload{
		Key: newKey("inputs", r.ProjectID, slot, r.ContentType), ProjectID: r.ProjectID, Slot: slot, Wallet: c.Wallet,
		ContentType: r.ContentType, CreatedAt: e.opts.Now(), OpenUntil: e.opts.Now().Add(e.opts.Limits.FormTTL),
	}
	if err := e.checkSpace(0); err != nil {
		return Place{}, err
	}
	if e.opts.Unchecked {
		// Such a storage tells nobody how much came. The most is set aside until
		// the form is closed and the sweeper has seen.
		u.Reserved = e.opts.Limits.UploadBytes
	}
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if err := e.claim(tx, r.ProjectID, c.Wallet); err != nil {
			return err
		}
		if err := e.count(tx, c.Wallet, 1, u.Reserved); err != nil {
			return err
		}
		return tx.InsertUpload(u)
	})
	return Place{u.Key, u.ContentType}, err
}

// claim makes a project id an account's own, or refuses when it is another's.
func (e *Engine) claim(tx *store.Tx, projectID string, w atelier.Wallet) error {
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
// an imageId with every image, and that of an artist means nothing.
func (r UploadRequest) slotID() string {
	if r.Endpoint == ImageEndpoint {
		return ""
	}
	return r.ID
}

// productID wants the id of the artifact that a worker sends.
func productID(r UploadRequest) error { return CheckProjectID(r.idField(), r.ID) }

// missing says in the words of the query which product was not found.
func (r UploadRequest) missing(err error, what string) error {
	var e *atelier.Error
	if errors.As(err, &e) && e.Code.Number == atelier.CodeNotFound.Number && e.Field == "id" {
		return atelier.Missing(r.idField(), r.ID, what)
	}
	return err
}

// newKey is a key that was never used before, and sorts after older ones. The project is in it only by its
// digest, so that no id can be trouble in a path; the extension is real, where
// the type is known.
func newKey(room, projectID, slot, contentType string) string {
	sum := sha256.Sum256([]byte(projectID))
	return room + "/" + hex.EncodeToString(sum[:12]) + "/" + slot + "-" + atelier.NewOrderedUUID() + filetype.Extension(contentType)
}

// DownloadRequest asks for what is in a slot or what a worker made.
type DownloadRequest struct {
	UploadRequest
	Artifact string // lastFrame, or empty
}

// DownloadURL signs the reading of an upload or a product of one's own
// project.
func (e *Engine) DownloadURL(ctx context.Context, c atelier.Caller, r DownloadRequest) (string, error) {
	t, err := e.check(r.UploadRequest)
	if err != nil {
		return "", err
	}
	place, err := e.findPlace(ctx, c, t, r)
	if err != nil {
		return "", err
	}
	terms := blob.GetTerms{Until: e.opts.Now().Add(e.opts.Limits.DownloadTTL)}
	if t.worker && r.Type != "preview" {
		terms = blob.FixedTerms(e.opts.Now(), e.opts.Limits.DownloadTTL)
	}
	if e.opts.Unchecked {
		terms.ContentType = place.ContentType // the storage may not know it
	}
	if r.ContentType != "" && filetype.Kind(r.ContentType) == filetype.Kind(place.ContentType) {
		terms.ContentType = r.ContentType
	}
	return e.blobs.GetURL(ctx, place.Key, terms)
}

func (e *Engine) findPlace(ctx context.Context, c atelier.Caller, t slotType, r DownloadRequest) (Place, error) {
	if t.worker {
		if err := productID(r.UploadRequest); err != nil {
			return Place{}, err
		}
		place, err := e.opts.Produced(ctx, Product{Caller: c, ProjectID: r.ProjectID, ID: r.ID, Endpoint: r.Endpoint, Preview: r.Type == "preview", LastFrame: r.Artifact != ""})
		what := "artifact of this project"
		switch {
		case r.Artifact != "":
			what = "artifact with an exported last frame"
		case r.Type == "preview":
			what = "artifact with a preview"
		}
		return place, r.missing(err, what)
	}
	if r.Artifact != "" {
		return Place{}, atelier.Missing("artifact", r.Artifact, "part of an upload of the type "+r.Type)
	}
	slot, err := t.slot(r.slotID())
	if err != nil {
		return Place{}, err
	}
	return e.Input(ctx, c.Wallet, r.ProjectID, slot)
}

// Input finds what an account uploaded last into a slot of a project.
func (e *Engine) Input(ctx context.Context, w atelier.Wallet, projectID, slot string) (Place, error) {
	var uploads []store.Upload
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		uploads, err = tx.Uploads(projectID, slot, w)
		return err
	})
	if err != nil {
		return Place{}, err
	}
	for _, u := range slices.Backward(uploads) { // the newest that really came
		object, err := e.blobs.Stat(ctx, u.Key)
		if errors.Is(err, blob.ErrNotFound) {
			continue
		}
		if err != nil || !e.opts.Unchecked {
			return Place{u.Key, object.ContentType}, err
		}
		kind, err := e.look(ctx, u, object)
		if atelier.HasCode(err, atelier.CodeInvalidRequest) {
			continue // it is not what may be there, and is removed
		}
		return Place{u.Key, kind}, err
	}
	return Place{}, atelier.Missing("jobId", projectID, "upload as "+slot)
}
