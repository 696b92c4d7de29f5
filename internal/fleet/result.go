package fleet

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/store"
)

// uploadKey is where a worker uploads an artifact. The number of its lease is
// part of it, so that no form of an earlier lease writes where a later worker's
// file is.
func uploadKey(j atelier.Job, a atelier.JobArtifact) string {
	return resultPrefix(j) + a.ID + filetype.Extension(a.ContentType)
}

// freshKey is where an artifact lies for good. Nobody has written there, and no
// form names it, so that whatever is repeated, late or refused changes nothing
// that was settled.
func freshKey(j atelier.Job, a atelier.JobArtifact) string {
	return resultPrefix(j) + a.ID + "-" + rand.Text()[:12] + filetype.Extension(a.ContentType)
}

func previewKey(j atelier.Job, a atelier.JobArtifact) string {
	return resultPrefix(j) + a.ID + "-preview"
}

// resultPrefix is what the keys of a lease begin with. There are 256 folders
// in all: on a disk, a new folder for each job would cost more than the file.
func resultPrefix(j atelier.Job) string {
	sum := sha256.Sum256([]byte(j.ProjectID))
	text := hex.EncodeToString(sum[:12])
	return fmt.Sprintf("results/%s/%s-%d-", text[:2], text[2:], j.Leases)
}

// Place is where something is that a worker makes.
type Place struct {
	Key         string
	ContentType string // empty for a preview: any picture
}

// UploadPlace is where a worker that holds the job of a project puts an
// artifact or a preview of it.
func (e *Engine) UploadPlace(ctx context.Context, c atelier.Caller, projectID, artifactID string, preview bool) (Place, error) {
	if !c.Worker || c.Credential != atelier.CredentialAPIKey {
		return Place{}, atelier.Errorf(atelier.CodeWorkerRequired, "Only the worker that holds a job may upload its results.")
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
		return Place{}, atelier.Errorf(atelier.CodeForbidden, "No worker of this account holds that job.")
	}
	if err != nil {
		return Place{}, err
	}
	_, slot := slotOf(j.Spec, artifactID)
	switch {
	case slot == nil:
		return Place{}, atelier.Missing("id", artifactID, "artifact of this job")
	case preview:
		return Place{Key: previewKey(j.Job, *slot)}, nil
	}
	return Place{uploadKey(j.Job, *slot), slot.ContentType}, nil
}

// DownloadPlace is where an artifact of one's own project is, or its preview
// while the job runs.
func (e *Engine) DownloadPlace(ctx context.Context, w atelier.Wallet, projectID, artifactID string, preview bool) (Place, error) {
	var (
		j    store.StoredJob
		made []atelier.Artifact
	)
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		if j, err = tx.JobOfProject(projectID); err == nil {
			made, err = tx.Artifacts(j.ID)
		}
		return err
	})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return Place{}, err
	}
	if err != nil || !j.Wallet.Equal(w) {
		return Place{}, atelier.Missing("jobId", projectID, "project")
	}
	if preview {
		_, slot := slotOf(j.Spec, artifactID)
		if slot == nil {
			return Place{}, atelier.Missing("id", artifactID, "artifact of this project")
		}
		key := previewKey(j.Job, *slot)
		object, err := e.blobs.Stat(ctx, key)
		if err != nil {
			return Place{}, atelier.Missing("id", artifactID, "artifact with a preview")
		}
		return Place{key, object.ContentType}, nil
	}
	for _, a := range made {
		if a.ID == artifactID {
			return Place{a.Key, a.ContentType}, nil
		}
	}
	return Place{}, atelier.Missing("id", artifactID, "artifact of this project")
}
