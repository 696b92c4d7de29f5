package fleet

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/store"
)

// uploadKey is where a worker uploads an artifact. The number of the lease is part of
// it, so that a form of an earlier lease cannot overwrite the file of a later worker.
func uploadKey(j atelier.Job, a atelier.JobArtifact) string {
	return resultPrefix(j) + a.ID + filetype.Extension(a.ContentType)
}

// freshKey is the final key of an artifact. Nothing was written there before, and no
// upload form names it, so that a repeated, late or refused upload changes nothing that
// was settled.
func freshKey(j atelier.Job, a atelier.JobArtifact) string {
	return resultPrefix(j) + a.ID + "-" + rand.Text()[:12] + filetype.Extension(a.ContentType)
}

func previewKey(j atelier.Job, a atelier.JobArtifact) string {
	return resultPrefix(j) + a.ID + "-preview"
}

// resultPrefix begins the keys of a lease. There are 256 folders in all: on a disk, a
// new folder for each job would cost more than the file.
func resultPrefix(j atelier.Job) string {
	sum := sha256.Sum256([]byte(j.ProjectID))
	text := hex.EncodeToString(sum[:12])
	return fmt.Sprintf("results/%s/%s-%d-", text[:2], text[2:], j.Leases)
}

// UploadURL signs a form for an artifact or a preview of the job that a worker
// holds.
func (e *Engine) UploadURL(ctx context.Context, c atelier.Caller, r media.UploadRequest) (media.UploadForm, error) {
	allowed, err := r.Check()
	if err != nil {
		return media.UploadForm{}, err
	}
	location, err := e.UploadLocation(ctx, c, r.ProjectID, r.ID, r.Type == "preview")
	if err == nil && r.Type == "preview" {
		err = e.reportPreview(ctx, location, r.ContentType)
	}
	if err != nil {
		return media.UploadForm{}, r.MissingID(err, "artifact of this job")
	}
	return media.SignForm(ctx, e.blobs, location.Key, blob.FormTerms{
		ContentType: cmp.Or(r.ContentType, location.ContentType), Allowed: allowed,
		MaxBytes: e.opts.UploadBytes, Account: string(c.Wallet), Until: e.opts.Now().Add(e.opts.FormTTL),
	})
}

// reportPreview reports to the owner of a job where its worker uploads previews. The file
// may arrive a moment later.
func (e *Engine) reportPreview(ctx context.Context, l Location, contentType string) error {
	return e.db.Write(ctx, func(tx *store.Tx) error {
		j, err := e.lockOwnJob(tx, l.worker, l.job)
		if err != nil || j.Cancel {
			return err
		}
		if h := e.hooks[j.Owner.Kind]; h.Previewed != nil {
			return h.Previewed(tx, j.Job, Location{Key: l.Key, ContentType: contentType})
		}
		return nil
	})
}

// DownloadURL signs the reading of an artifact of the caller's own project, of its
// last frame, or of its preview while the job runs.
func (e *Engine) DownloadURL(ctx context.Context, c atelier.Caller, r media.DownloadRequest) (string, error) {
	if _, err := r.Check(); err != nil {
		return "", err
	}
	id, what, preview := r.ID, "artifact of this project", r.Type == "preview"
	terms := blob.FixedTerms(e.opts.Now(), e.opts.DownloadTTL)
	if preview {
		what = "artifact with a preview"
		terms = blob.GetTerms{Until: e.opts.Now().Add(e.opts.DownloadTTL)}
	}
	if r.Artifact != "" {
		id, what = id+LastFrame, "artifact with an exported last frame"
	}
	location, err := e.downloadLocation(ctx, c.Wallet, r.ProjectID, id, preview)
	if err != nil {
		return "", r.MissingID(err, what)
	}
	if path.Ext(location.Key) == "" {
		terms.ContentType = location.ContentType // a storage may use the extension
	}
	r.PinContentType(&terms, location.ContentType)
	return e.blobs.GetURL(ctx, location.Key, terms)
}

// Location is the object of an artifact or a preview.
type Location struct {
	Key         string
	ContentType string // empty for a preview: any picture

	job    atelier.JobID    // of an upload
	worker atelier.WorkerID // that holds the job
}

// UploadLocation is where the worker that holds the job of a project uploads an
// artifact or a preview of it.
func (e *Engine) UploadLocation(ctx context.Context, c atelier.Caller, projectID atelier.ProjectID, artifactID string, preview bool) (Location, error) {
	if !c.Worker || c.Credential != atelier.CredentialAPIKey {
		return Location{}, atelier.Errorf(atelier.CodeWorkerRequired, "Only the worker that holds a job may upload its results.")
	}
	var (
		j      store.StoredJob
		worker atelier.Worker
	)
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		if j, err = tx.JobOfProject(projectID); err != nil || j.State != atelier.JobLeased {
			return err
		}
		worker, err = tx.Worker(c.Wallet, j.WorkerID)
		return err
	})
	if errors.Is(err, store.ErrNotFound) || (err == nil && worker.ID == "") {
		return Location{}, atelier.Errorf(atelier.CodeForbidden, "No worker of this account holds that job.")
	}
	if err != nil {
		return Location{}, err
	}
	_, slot := slotOf(j.Spec, artifactID)
	switch {
	case slot == nil:
		return Location{}, atelier.Missing("id", artifactID, "artifact of this job")
	case preview:
		return Location{Key: previewKey(j.Job, *slot), job: j.ID, worker: j.WorkerID}, nil
	}
	return Location{Key: uploadKey(j.Job, *slot), ContentType: slot.ContentType}, nil
}

// downloadLocation is where an artifact of an account's own project is, or its
// preview while the job runs.
func (e *Engine) downloadLocation(ctx context.Context, w atelier.Wallet, projectID atelier.ProjectID, artifactID string, preview bool) (Location, error) {
	var (
		j         store.StoredJob
		artifacts []atelier.Artifact
	)
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		if j, err = tx.JobOfProject(projectID); err == nil {
			artifacts, err = tx.Artifacts(j.ID)
		}
		return err
	})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return Location{}, err
	}
	if err != nil || !j.Wallet.Equal(w) {
		return Location{}, atelier.Missing("jobId", string(projectID), "project")
	}
	if preview {
		_, slot := slotOf(j.Spec, artifactID)
		if slot == nil {
			return Location{}, atelier.Missing("id", artifactID, "artifact of this project")
		}
		key := previewKey(j.Job, *slot)
		object, err := e.blobs.Stat(ctx, key)
		if err != nil {
			return Location{}, atelier.Missing("id", artifactID, "artifact with a preview")
		}
		return Location{Key: key, ContentType: object.ContentType}, nil
	}
	for _, a := range artifacts {
		if a.ID == artifactID && !strings.HasPrefix(a.Key, store.DeletedKey) {
			return Location{Key: a.Key, ContentType: a.ContentType}, nil
		}
	}
	return Location{}, atelier.Missing("id", artifactID, "artifact of this project")
}
