package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
)

// fetchTool is the node task that fetches media from the web into the blob store. It is
// a job, so that it survives the process that does it.
const fetchTool = "fetch_media"

// ownFiles checks the files of a plan and finds those that are objects of the account:
// uploads, assets and artifacts. The others are fetched once the workflow is
// accepted.
func (e *Engine) ownFiles(ctx context.Context, w atelier.Wallet, p *plan) ([]fileState, error) {
	files := make([]fileState, len(p.Files))
	for i, f := range p.Files {
		if key, ours := e.blobs.KeyOf(f.URL); ours {
			found, err := e.ownObject(ctx, w, key)
			if err != nil {
				return nil, err
			}
			if found != nil {
				if wrong := misfit(f.Kind, found.ContentType); wrong != "" {
					found = &fileState{Error: wrong}
				}
				files[i] = *found
				continue
			}
		}
		if err := e.opts.Web.CheckURL(f.URL); err != nil {
			return nil, atelier.Refuse(f.field, "cannot be used: %v", err)
		}
	}
	return files, nil
}

// ownObject finds an object if the account owns it.
func (e *Engine) ownObject(ctx context.Context, w atelier.Wallet, key string) (*fileState, error) {
	var owner atelier.Wallet
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		owner, err = tx.ObjectOwner(key)
		return err
	})
	if errors.Is(err, store.ErrNotFound) || (err == nil && !owner.Equal(w)) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	object, err := e.blobs.Stat(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, nil
	}
	return &fileState{Key: key, ContentType: object.ContentType}, err
}

// useFiles records that the workflow uses uploads of its account, which are kept from
// then on, and artifacts, which are kept until it is over. It refuses one that was removed
// since ownFiles found it.
func useFiles(tx *store.Tx, r *record) error {
	for i, f := range r.plan.Files {
		key := r.state.Files[i].Key
		var err error
		switch {
		case !f.Used:
		case strings.HasPrefix(key, "inputs/"):
			err = tx.UseUpload(key, r.now)
		case strings.HasPrefix(key, "results/"):
			err = tx.UseArtifact(key, r.row.ID)
		}
		if errors.Is(err, store.ErrNotFound) {
			return atelier.Refuse(f.field, "names a file that no longer exists: upload it again.")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fetchFiles submits the jobs that fetch the files of steps.
func (e *Engine) fetchFiles(tx *store.Tx, r *record) error {
	for i, f := range r.plan.Files {
		s := &r.state.Files[i]
		if !f.Used || s.JobID != "" || s.isOver() {
			continue
		}
		j, err := e.fleet.Submit(tx, fleet.Submission{
			Wallet: r.row.Wallet, Owner: atelier.JobOwner{Kind: ownerKind, ID: string(r.row.ID), Part: filePart(i)}, Network: atelier.NetworkNode,
			Terms: freeTerms,
			Spec: atelier.JobSpec{
				Tool: fetchTool, ModelID: fetchTool, Arguments: map[string]any{"url": f.URL, "kind": f.Kind},
				Artifacts: []atelier.JobArtifact{{ID: mint.OrderedUUID(), Kind: f.Kind}},
			},
		})
		if err != nil {
			return err
		}
		s.JobID = j.ID
	}
	return nil
}

// fileEnded records the outcome of fetching a file.
func (r *record) fileEnded(i int, j atelier.Job, artifacts []atelier.Artifact) {
	s := &r.state.Files[i]
	if j.State == atelier.JobCompleted && len(artifacts) == 1 {
		s.Key, s.ContentType = artifacts[0].Key, artifacts[0].ContentType
		return
	}
	s.Error = cmp.Or(j.Error.Message, "It could not be fetched.")
}

// NodeTasks are the tasks of workflows that nodes do.
func (e *Engine) NodeTasks() map[string]fleet.NodeTask {
	tasks := map[string]fleet.NodeTask{fetchTool: e.fetchMedia}
	for _, tool := range e.catalog.Tools() {
		if tool.Pure() && tool.Produces != nil {
			tasks[tool.Name] = e.session
		}
	}
	return tasks
}

// fetchMedia fetches a file and checks its kind.
func (e *Engine) fetchMedia(ctx context.Context, j atelier.Job, put fleet.Put) ([]fleet.ReportedArtifact, error) {
	url, _ := j.Spec.Arguments["url"].(string)
	kind, _ := j.Spec.Arguments["kind"].(string)
	body, err := e.opts.Web.Get(ctx, url)
	if err != nil {
		return nil, taskError(ctx, err)
	}
	defer body.Close()
	if wrong := misfit(kind, body.ContentType); wrong != "" {
		return nil, &fleet.TaskError{Message: wrong}
	}
	id := j.Spec.Artifacts[0].ID
	content := &counted{r: body, end: func(size int64) error {
		if e.opts.CountFetched == nil {
			return nil
		}
		return e.opts.CountFetched(ctx, j.Wallet, size)
	}}
	if err := put(ctx, id, body.ContentType, content); err != nil {
		return nil, taskError(ctx, err)
	}
	return []fleet.ReportedArtifact{{ID: id, ContentType: body.ContentType}}, nil
}

// counted reads content and calls end with its size. An error of end replaces io.EOF, so
// that nothing is stored.
type counted struct {
	r   io.Reader
	n   int64
	end func(size int64) error
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if errors.Is(err, io.EOF) {
		if refused := c.end(c.n); refused != nil {
			return n, refused
		}
	}
	return n, err
}

// misfit says what is wrong with content that should be of a kind.
func misfit(kind, contentType string) string {
	if kind == "any" || filetype.Kind(contentType) == kind {
		return ""
	}
	return fmt.Sprintf("The file must be of the kind %s, but is %s.", kind, cmp.Or(contentType, "unknown"))
}

// taskError makes a TaskError of an error that the owner may read.
func taskError(ctx context.Context, err error) error {
	var plain *atelier.Error
	if ctx.Err() == nil && errors.As(err, &plain) {
		return &fleet.TaskError{Message: plain.Message}
	}
	return err
}
