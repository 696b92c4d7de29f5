package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/probe"
	"github.com/atelier-project/atelier/internal/store"
)

// fetchTool is the node task that fetches media from the web into the blob store. It is
// a job, so that it survives the process that does it.
const fetchTool = "fetch_media"

// finder finds the files of the plans of an account. It checks a file and finds it if it is
// an object of the account: an upload, an asset or an artifact. Another one is fetched
// once the workflow is accepted. The size of a file that steps use is read.
func (e *Engine) finder(ctx context.Context, w atelier.Wallet) func(file) (fileState, error) {
	return func(f file) (fileState, error) {
		if key, ours := e.blobs.KeyOf(f.URL); ours {
			found, err := e.ownObject(ctx, w, key)
			switch {
			case err != nil:
				return fileState{}, err
			case found != nil:
				return e.checkObject(ctx, f, *found)
			}
		}
		if err := e.opts.Web.CheckURL(f.URL); err != nil {
			return fileState{}, atelier.Refuse(f.field, "cannot be used: %v", err)
		}
		return fileState{}, nil
	}
}

// checkObject checks an object that is used as a file of a plan, and reads its size.
func (e *Engine) checkObject(ctx context.Context, f file, found fileState) (fileState, error) {
	if wrong := misfit(f.Kind, found.ContentType); wrong != "" {
		return fileState{Error: wrong}, nil
	}
	if !f.Used {
		return found, nil
	}
	x, err := e.measure(ctx, found.Key, found.ContentType)
	var wrong *atelier.Error
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return fileState{}, errGone(f)
	case errors.As(err, &wrong):
		return fileState{Error: wrong.Message}, nil
	}
	found.Width, found.Height, found.Seconds = x.Width, x.Height, x.Seconds
	return found, err
}

// measure reads the size and the length of a stored object, where they are known. It
// refuses a picture that cannot be read or is too large, as uploads are refused.
func (e *Engine) measure(ctx context.Context, key, contentType string) (probe.Extent, error) {
	content, _, err := e.blobs.Open(ctx, key)
	if err != nil {
		return probe.Extent{}, err
	}
	defer content.Close()
	x, err := probe.Measure(ctx, content)
	picture := filetype.Kind(contentType) == string(catalog.Image)
	switch {
	case errors.Is(err, probe.ErrUnreadable) && !picture:
		return probe.Extent{}, nil // a renderer may know more formats
	case errors.Is(err, probe.ErrUnreadable):
		return probe.Extent{}, atelier.Errorf(atelier.CodeInvalidRequest, "It is not a picture that can be read.")
	case picture && int64(x.Width)*int64(x.Height) > atelier.MaxPixels:
		return probe.Extent{}, atelier.Errorf(atelier.CodeInvalidRequest, "It is a picture of %d by %d pixels; the limit is %d pixels.", x.Width, x.Height, atelier.MaxPixels)
	}
	return x, err
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
// since it was found.
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
		if errors.Is(err, store.ErrNotFound) && r.plan.Remake != nil {
			return errRemakeGone()
		}
		if errors.Is(err, store.ErrNotFound) {
			return errGone(f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func errGone(f file) error {
	return atelier.Refuse(f.field, "names a file that no longer exists: upload it again.")
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
		a := artifacts[0]
		s.Key, s.ContentType, s.Width, s.Height, s.Seconds = a.Key, a.ContentType, a.Width, a.Height, a.DurationSeconds
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

// fetchMedia fetches a file, checks its kind and reads its size.
func (e *Engine) fetchMedia(ctx context.Context, j atelier.Job, put fleet.Put) ([]apitype.ReportedArtifact, error) {
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
		return e.opts.Media.CountFetched(ctx, j.Wallet, size)
	}}
	key, err := put(ctx, id, body.ContentType, content)
	if err != nil {
		return nil, taskError(ctx, err)
	}
	x, err := e.measure(ctx, key, body.ContentType)
	if err != nil {
		return nil, taskError(ctx, err)
	}
	return []apitype.ReportedArtifact{{ID: id, ContentType: body.ContentType, Width: x.Width, Height: x.Height, DurationSeconds: x.Seconds}}, nil
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
