package comfyui

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/atelier-project/atelier/internal/worker"
)

// lostInputError says that ComfyUI no longer has a file of the job: its temporary folder was
// emptied, as another ComfyUI of the same installation does when it starts.
type lostInputError struct{ error }

func (e *lostInputError) Unwrap() error { return e.error }

// maxLosses is how often the files of a job are handed over again.
const maxLosses = 3

// withInputs renders an artifact, and hands the files of the job over again when ComfyUI has
// lost them.
func (r *Renderer) withInputs(ctx context.Context, i *instance, o *order, n int, s *supplies) (worker.Output, error) {
	for ; ; s.losses++ {
		out, err := r.artifact(ctx, i, o, n, *s)
		var lost *lostInputError
		switch {
		case !errors.As(err, &lost) || ctx.Err() != nil:
			return out, err
		case s.losses == maxLosses:
			return out, dropped("ComfyUI lost the files of the job %d times.", maxLosses+1)
		}
		r.opts.Log.Warn("ComfyUI lost files of a job, will hand them over again", "comfyui", i.api.name(), "job", o.task.JobID, "error", err)
		if s.files, err = i.upload(ctx, o); err != nil {
			return out, err
		}
	}
}

// uploaded is the form of a name under which ComfyUI has a file of a job.
var uploaded = regexp.MustCompile(`^` + uploads + `[/\\]([0-9a-f]{16,}[A-Za-z0-9._-]*)(?: \[[a-z]+\])?$`)

// uploads are the names of the job's files that a node loads.
func (n *node) uploads() (names []string) {
	if n == nil {
		return nil
	}
	for _, v := range n.Inputs {
		if text, ok := v.(string); ok {
			if m := uploaded.FindStringSubmatch(text); m != nil {
				names = append(names, m[1])
			}
		}
	}
	return names
}

// lostInput reports whether a node failed because a file of the job is gone. Some nodes only
// pass a file on to the one that opens it.
func (f nodeFailure) lostInput(g graph) bool {
	if f.Type != "FileNotFoundError" && f.Type != "av.error.FileNotFoundError" {
		return false
	}
	if len(g[f.Node].uploads()) > 0 {
		return true
	}
	for _, n := range g {
		for _, name := range n.uploads() {
			if strings.Contains(f.Message, name) {
				return true
			}
		}
	}
	return false
}
