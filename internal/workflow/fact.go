package workflow

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
)

// The hooks that the fleet calls about jobs, inside the transactions of the changes.

func stepPart(i int) string { return "step/" + strconv.Itoa(i) }
func filePart(i int) string { return "file/" + strconv.Itoa(i) }

// part is the step or the file of a workflow that a job belongs to.
func part(j atelier.Job) (step, file int, err error) {
	kind, number, _ := strings.Cut(j.Owner.Part, "/")
	n, err := strconv.Atoi(number)
	switch {
	case err == nil && kind == "step":
		return n, -1, nil
	case err == nil && kind == "file":
		return -1, n, nil
	}
	return -1, -1, fmt.Errorf("job %s belongs to %q, which is not a workflow step", j.ID, j.Owner.Part)
}

// changeForJob changes the workflow of a job, if the workflow still waits for the job.
func (e *Engine) changeForJob(tx *store.Tx, j atelier.Job, onStep func(*record, int) error, onFile func(*record, int) error) error {
	step, file, err := part(j)
	if err != nil {
		return err
	}
	if step < 0 && onFile == nil {
		return nil
	}
	_, err = e.change(tx, atelier.WorkflowID(j.Owner.ID), func(r *record) error {
		switch {
		case file >= 0 && r.state.Files[file].JobID == j.ID:
			return onFile(r, file)
		case step >= 0 && r.state.Steps[step].JobID == j.ID:
			return onStep(r, step)
		}
		return errUnchanged
	})
	return err
}

// onStarted handles that a worker has got a job.
func (e *Engine) onStarted(tx *store.Tx, j atelier.Job) error {
	return e.changeForJob(tx, j, func(r *record, i int) error {
		s := &r.state.Steps[i]
		if s.Status == atelier.StatusRunning && s.Attempt == j.Attempt { // a worker that left before it got the job had it before
			if r.noteServed(i, j) {
				return nil
			}
			return errUnchanged
		}
		if err := r.moveStep(i, atelier.StatusRunning); err != nil {
			return err
		}
		s.Attempt, s.Notes, s.StartedAt, r.state.Started = j.Attempt, 0, &r.now, true
		if err := r.move(atelier.StatusRunning, ""); err != nil {
			return err
		}
		r.emit("", apitype.StepStarted{StepID: r.plan.Steps[i].ID, ToolName: r.plan.Steps[i].ToolName, Sequence: i, Attempt: j.Attempt})
		return nil
	}, nil)
}

// A log is read as a whole, so its length must be bounded.
const (
	leastProgress = 0.01 // the least progress that makes a new event
	mostNotes     = 100  // how many events a render may cause without progress
)

// onProgressed handles a progress report of a worker.
func (e *Engine) onProgressed(tx *store.Tx, j atelier.Job) error {
	return e.changeForJob(tx, j, func(r *record, i int) error {
		s := &r.state.Steps[i]
		if j.Progress-s.Progress < leastProgress {
			if j.Message == s.Message || s.Notes >= mostNotes {
				return errUnchanged
			}
			s.Notes++
		}
		s.Progress, s.Message = j.Progress, j.Message
		r.emit(j.Message, apitype.WorkflowProgress{
			Progress: r.progress(), StepID: r.plan.Steps[i].ID, StepProgress: j.Progress, Message: j.Message, PreviewURL: s.Preview,
		})
		return nil
	}, nil)
}

// onPreviewed handles that a worker uploads previews of what it renders. The progress that
// it reports from now on comes with the newest.
func (e *Engine) onPreviewed(tx *store.Tx, j atelier.Job, at fleet.Location) error {
	return e.changeForJob(tx, j, func(r *record, i int) error {
		s, url := &r.state.Steps[i], previewURL(at)
		if s.Preview == url || s.Status != atelier.StatusRunning {
			return errUnchanged
		}
		s.Preview = url
		return nil
	}, nil)
}

// onDropped handles that a worker has dropped a job, or given it back, which is queued
// again. The first attempt stays in the log.
func (e *Engine) onDropped(tx *store.Tx, j atelier.Job) error {
	return e.changeForJob(tx, j, func(r *record, i int) error {
		if err := r.moveStep(i, atelier.StatusQueued); err != nil {
			return err
		}
		s := &r.state.Steps[i]
		s.Progress, s.Attempt = 0, j.Attempt
		kind, message := "step_requeued", j.Error.Message+" The step is queued again."
		if j.Error.Code == atelier.FailDropped {
			s.Retries++
			kind, message = "step_retry", j.Error.Message+" The step is retried."
		}
		r.emit(message, apitype.Custom{Kind: kind, StepID: r.plan.Steps[i].ID, Attempt: &j.Attempt})
		r.noteServed(i, j)
		return nil
	}, nil)
}

// onServed handles that no connected worker offers the model of a queued job any more, or
// that one does again.
func (e *Engine) onServed(tx *store.Tx, j atelier.Job) error {
	return e.changeForJob(tx, j, func(r *record, i int) error {
		if !r.noteServed(i, j) {
			return errUnchanged
		}
		return nil
	}, nil)
}

// noteServed updates whether a step waits for a worker that offers the model of its job,
// and emits an event about a change. It reports whether there was one.
func (r *record) noteServed(i int, j atelier.Job) bool {
	s := &r.state.Steps[i]
	if j.UnservedSince.IsZero() == (s.NoWorker == nil) {
		return false
	}
	waitingFor, message := apitype.Null[atelier.WaitingFor](), fmt.Sprintf("A worker offers %s now.", j.Spec.ModelID)
	if s.NoWorker = nil; !j.UnservedSince.IsZero() {
		w := atelier.WaitingFor{Reason: atelier.WaitNoWorker, Model: j.Spec.ModelID, Network: j.Network, Since: j.UnservedSince.UTC(), FallbackAt: j.FallbackAt.UTC()}
		s.NoWorker, message, waitingFor = (*waitingForDocument)(&w), w.String(), apitype.ValueOf(w)
	}
	if s.Notes >= mostNotes { // workers may connect and leave any number of times
		return true
	}
	s.Notes++
	r.emit(message, apitype.WorkflowProgress{
		Progress: r.progress(), StepID: r.plan.Steps[i].ID, StepProgress: s.Progress, Message: message, WaitingFor: waitingFor,
	})
	return true
}

// onEnded handles that a job is over.
func (e *Engine) onEnded(tx *store.Tx, j atelier.Job, artifacts []atelier.Artifact) error {
	return e.changeForJob(tx, j,
		func(r *record, i int) error {
			if err := r.list(tx, i, j, artifacts); err != nil {
				return err
			}
			return r.stepEnded(i, j, artifacts)
		},
		func(r *record, i int) error { r.fileEnded(i, j, artifacts); return nil })
}

// list adds the artifacts of a step to the library of the account.
func (r *record) list(tx *store.Tx, i int, j atelier.Job, artifacts []atelier.Artifact) error {
	for _, a := range artifacts {
		if strings.HasSuffix(a.ID, fleet.LastFrame) {
			continue
		}
		if err := tx.InsertLibraryItem(store.NewLibraryItem(j, a, r.plan.Steps[i].ID, r.now)); err != nil {
			return err
		}
	}
	return nil
}

func (r *record) stepEnded(i int, j atelier.Job, artifacts []atelier.Artifact) error {
	s := &r.state.Steps[i]
	switch {
	case j.State == atelier.JobCompleted:
		var results []made
		for _, a := range artifacts {
			m := made{
				ID: a.ID, Kind: a.Kind, Type: a.ContentType, Key: a.Key, Bytes: a.Bytes, Width: a.Width, Height: a.Height,
				Seconds: a.DurationSeconds, Seed: a.Seed, Metadata: a.Metadata,
			}
			if strings.HasSuffix(m.ID, fleet.LastFrame) {
				continue // it is read through its clip
			}
			if manifest, ok := m.Metadata["manifest"]; ok && j.Network == atelier.NetworkNode { // only the manifest of a node task counts
				r.state.Manifest = manifest
			}
			results = append(results, m)
		}
		s.Charged = &chargedDocument{Spark: j.Charged.Spark, USD: j.Charged.USD, ByPlan: j.ChargedByPlan, Free: j.Charged.Free}
		return r.completeStep(i, results, ordered(j.Spec)) // counted from the job: a step may get fewer sources than planned
	case j.State == atelier.JobCancelled && j.Error.Code != atelier.FailLoraUnavailable:
		return r.moveStep(i, atelier.StatusCancelled)
	case j.Error.Code == atelier.FailContentFiltered && j.Spec.SafeContentFilter:
		return r.pauseStep(i, atelier.WaitSafetyReview, cmp.Or(j.Error.Message, "The renderer filtered this step. "+reviewHelp))
	}
	return r.failStep(i, atelier.StepError{
		Code: j.Error.Code, Message: cmp.Or(j.Error.Message, "The worker gave no reason."),
		Classification: cmp.Or(classifications[j.Error.Code], "unknown"), Retryable: j.Error.Retryable || j.Error.Code == atelier.FailDropped,
	})
}

// classifications maps the failure codes of workers to those of the API.
var classifications = map[string]string{
	atelier.FailError: "provider", atelier.FailOutOfMemory: "provider", atelier.FailDropped: "transient",
	atelier.FailNoWorker: "transient", atelier.FailLoraMismatch: "validation", atelier.FailLoraUnavailable: "validation", atelier.FailContentFiltered: "policy",
}
