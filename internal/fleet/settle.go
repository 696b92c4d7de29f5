package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/store"
)

// Standing is what a worker is told about a job it works on.
type Standing struct {
	Cancel     bool
	LeaseUntil time.Time
}

// mine finds a job inside a change and refuses a worker that does not hold it.
func (e *Engine) mine(tx *store.Tx, workerID, jobID string) (store.StoredJob, error) {
	j, err := tx.LockJob(jobID)
	if errors.Is(err, store.ErrNotFound) || (err == nil && (j.State != atelier.JobLeased || j.WorkerID != workerID)) {
		return j, errLost()
	}
	return j, err
}

// Note is what a worker says about a job on its way.
type Note struct {
	Progress float64
	Message  string
	Receipt  string // what finds the render that goes on elsewhere; empty leaves it as it is
}

// Progress notes how far a job is and renews its lease. A receipt is durable
// when it returns.
func (e *Engine) Progress(ctx context.Context, w atelier.Wallet, workerID, jobID string, n Note) (s Standing, err error) {
	if _, err := e.worker(ctx, w, workerID); err != nil {
		return s, err
	}
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		j, err := e.mine(tx, workerID, jobID)
		if err != nil {
			return err
		}
		s = Standing{Cancel: j.Cancel, LeaseUntil: e.o.Now().Add(e.o.Lease)}
		j.Progress, j.Message, j.Lease = max(n.Progress, j.Progress), n.Message, s.LeaseUntil
		if n.Receipt != "" {
			j.Receipt = n.Receipt
		}
		if err := tx.RenewLease(j.Job); err != nil {
			return err
		}
		if h := e.hooks[j.Owner.Kind]; h.Progressed != nil && !j.Cancel {
			return h.Progressed(tx, j.Job)
		}
		return nil
	})
	return s, err
}

// Made is an artifact that a worker says it made.
type Made struct {
	ID              string
	ContentType     string
	Width           int
	Height          int
	DurationSeconds float64
	Seed            int64
	Metadata        map[string]any
	Data            []byte // the file itself, when it was not uploaded before
}

// Metrics are how long the parts of a render took, in seconds.
type Metrics struct {
	Render      float64
	ModelSwitch float64
	Priming     float64
}

// Complete settles a job that was done: its artifacts, its price, the counters
// of its worker and whatever waited for it, in one transaction. What it made
// has been uploaded before, or comes along.
func (e *Engine) Complete(ctx context.Context, w atelier.Wallet, workerID, jobID string, made []Made, m Metrics) error {
	worker, err := e.worker(ctx, w, workerID)
	if err != nil {
		return err
	}
	for {
		j, remembered, err := e.leased(ctx, workerID, jobID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if j.State != atelier.JobLeased || j.WorkerID != workerID {
			return errLost()
		}
		artifacts, err := e.collect(ctx, j, made)
		if err != nil && remembered {
			continue // it may have moved on, and its files be elsewhere
		}
		if err != nil {
			return err
		}
		again := false
		err = e.db.Write(ctx, func(tx *store.Tx) (err error) {
			again, err = e.complete(tx, worker, j, artifacts, m, remembered)
			return err
		})
		if err != nil || !again {
			return err
		}
	}
}

// complete settles a job as it was when it was looked at. It reports true, and
// has done nothing, when that was in memory and the job has moved on since.
func (e *Engine) complete(tx *store.Tx, w atelier.Worker, j store.StoredJob, made []atelier.Artifact, m Metrics, remembered bool) (again bool, err error) {
	now := e.o.Now()
	done, err := tx.CompleteJob(j.ID, w.ID, j.Attempt, now)
	if err != nil {
		return false, err
	}
	if done {
		return false, e.settle(tx, w, j, made, m, now)
	}
	row, err := e.mine(tx, w.ID, j.ID)
	switch {
	case err != nil:
		return false, err
	case row.Cancel && row.Receipt == "":
		return false, e.end(tx, row, atelier.JobCancelled, atelier.JobError{Code: "cancelled", Message: "It was cancelled."})
	case remembered:
		return true, nil
	}
	return false, errLost()
}

// errLost is what a worker is told about a job that it does not hold any more.
func errLost() error {
	return atelier.Errorf(atelier.CodeJobLost, "This job is no longer this worker's: its lease ended, or it is over.")
}

// collect finds the objects of what a worker says it made: those that it has
// uploaded, and those that came along. These are stored when nothing is wrong
// with any of them.
func (e *Engine) collect(ctx context.Context, j store.StoredJob, made []Made) ([]atelier.Artifact, error) {
	if len(made) == 0 {
		return nil, atelier.Refuse("artifacts", "must not be empty: fail a job that made nothing.")
	}
	out := make([]atelier.Artifact, 0, len(made))
	seen := map[string]bool{}
	for i, m := range made {
		position, slot := slotOf(j.Spec, m.ID)
		if slot == nil || seen[m.ID] {
			return nil, atelier.Refuse("artifacts", "names %q, which is not one of the job's artifacts, or names it twice.", m.ID)
		}
		seen[m.ID] = true
		a := atelier.Artifact{
			ID: m.ID, JobID: j.ID, ProjectID: j.ProjectID, Position: position, Kind: slot.Kind, ContentType: slot.ContentType,
			Width: m.Width, Height: m.Height, DurationSeconds: m.DurationSeconds, Seed: m.Seed, Metadata: m.Metadata,
		}
		if a.ContentType == "" { // it could not be known before
			a.ContentType = m.ContentType
		}
		if a.Key = resultKey(j.ProjectID, j.Attempt, *slot); m.Data != nil {
			a.Key = freshKey(j.ProjectID, j.Attempt, *slot)
		}
		if err := e.look(ctx, i, m, &a); err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	for i, m := range made {
		if err := e.receive(ctx, m, &out[i]); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b atelier.Artifact) int { return a.Position - b.Position }) // a worker may name them in any order
	return out, nil
}

// look decides whether an artifact is there, and is what it should be. What was
// uploaded was inspected then.
func (e *Engine) look(ctx context.Context, i int, m Made, a *atelier.Artifact) error {
	if m.Data == nil {
		object, err := e.blobs.Stat(ctx, a.Key)
		if errors.Is(err, blob.ErrNotFound) {
			err = atelier.Refuse("artifacts", "names %q, which was not uploaded.", m.ID)
		}
		a.Bytes = object.Size
		return err
	}
	a.Bytes = int64(len(m.Data))
	if e.o.Inspect == nil {
		return nil
	}
	err := e.o.Inspect(a.ContentType, bytes.NewReader(m.Data), a.Bytes)
	var wrong *atelier.Error
	if errors.As(err, &wrong) {
		err = atelier.Refuse(fmt.Sprintf("artifacts[%d].data", i), "is not what it should be: the %s", wrong.Message)
	}
	return err
}

// receive stores what came along with a completion, and reads what is JSON.
func (e *Engine) receive(ctx context.Context, m Made, a *atelier.Artifact) error {
	if m.Data != nil {
		o := blob.PutOptions{ContentType: a.ContentType, NoDigest: true, Unread: true} // without a digest, as what is uploaded with a form
		if _, err := e.blobs.Put(ctx, a.Key, bytes.NewReader(m.Data), o); err != nil {
			return err
		}
	}
	if a.ContentType == "application/json" && a.Bytes <= maxContent {
		return e.include(ctx, a)
	}
	return nil
}

// maxContent is the largest JSON that is kept beside its object as well.
const maxContent = 256 << 10

// include puts the content of a JSON artifact into its metadata, where the
// steps that follow can read it without a detour.
func (e *Engine) include(ctx context.Context, a *atelier.Artifact) error {
	file, _, err := e.blobs.Open(ctx, a.Key)
	if err != nil {
		return err
	}
	defer file.Close()
	var content any
	if err := json.NewDecoder(io.LimitReader(file, maxContent)).Decode(&content); err != nil {
		return atelier.Refuse("artifacts", "names %q, which is not JSON.", a.ID)
	}
	meta := map[string]any{"content": content}
	for k, v := range a.Metadata {
		if k != "content" {
			meta[k] = v
		}
	}
	a.Metadata = meta
	return nil
}

// LastFrame ends the id of the artifact that is the last frame of another.
const LastFrame = "-lastFrame"

// pieces counts what is paid for: a last frame belongs to its clip.
func pieces[T any](list []T, id func(T) string) (n int) {
	for _, item := range list {
		if !strings.HasSuffix(id(item), LastFrame) {
			n++
		}
	}
	return n
}

func slotOf(s atelier.JobSpec, id string) (int, *atelier.JobArtifact) {
	for i := range s.Artifacts {
		if s.Artifacts[i].ID == id {
			return i, &s.Artifacts[i]
		}
	}
	return 0, nil
}

// settle records what a completed job has made, takes its price and tells its
// owner.
func (e *Engine) settle(tx *store.Tx, w atelier.Worker, j store.StoredJob, made []atelier.Artifact, m Metrics, now time.Time) error {
	if err := tx.LockAccount(j.Wallet); err != nil { // before its money and whoever waits for the job, as everybody does
		return err
	}
	for _, a := range made {
		if err := tx.InsertArtifact(a); err != nil {
			return err
		}
	}
	// Fewer results than were ordered cost as much less.
	actual := j.Charge.Cost
	ordered := pieces(j.Spec.Artifacts, func(a atelier.JobArtifact) string { return a.ID })
	if came := pieces(made, func(a atelier.Artifact) string { return a.ID }); came < ordered {
		actual.Spark = actual.Spark * atelier.Money(came) / atelier.Money(ordered)
		actual.USD = actual.USD * atelier.Money(came) / atelier.Money(ordered)
	}
	if err := e.billing.Settle(tx, j.Wallet, billing.Cause(j.ID, j.Attempt), j.Charge, actual); err != nil {
		return err
	}
	if err := e.countDone(tx, w, j, m, now); err != nil {
		return err
	}
	j.State, j.Progress, j.EndedAt = atelier.JobCompleted, 1, now
	j.Charged, j.ChargedByPlan = actual, j.Charge.ByPlan
	return e.ended(tx, j, made)
}

// Fail ends a job that a worker gives up. A job that it dropped is tried once
// more; one that failed is not. One of which nobody knows what became is asked
// for again.
func (e *Engine) Fail(ctx context.Context, w atelier.Wallet, workerID, jobID string, fault atelier.JobError) error {
	if _, err := e.worker(ctx, w, workerID); err != nil {
		return err
	}
	return e.db.Write(ctx, func(tx *store.Tx) error {
		j, err := e.mine(tx, workerID, jobID)
		switch {
		case err != nil:
			return err
		case fault.Code == atelier.FailUnknown:
			return e.doubt(tx, j, fault.Message)
		case j.Cancel:
			return e.end(tx, j, atelier.JobCancelled, atelier.JobError{Code: "cancelled", Message: "It was cancelled."})
		case fault.Code == atelier.FailDropped:
			return e.dropIn(tx, j, "The worker dropped it.")
		}
		return e.end(tx, j, atelier.JobFailed, fault)
	})
}
