package fleet

import (
	"context"
	"errors"
	"io"
	"iter"
	"maps"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/store"
)

// NodeTask does a job of the node network inside this process. It stops when ctx
// ends. A failure that its owner should read is a *TaskError.
type NodeTask func(ctx context.Context, j atelier.Job, put Put) ([]Made, error)

// Put stores an artifact of a job.
type Put func(ctx context.Context, artifactID, contentType string, content io.Reader) error

// TaskError is a task that cannot be done, in words for its owner.
type TaskError struct {
	Message   string
	Retryable bool
}

// Error implements the error interface.
func (e *TaskError) Error() string { return e.Message }

// Serve has this process do the jobs of the node network until ctx ends: what
// must survive a crash but needs no renderer. It is a worker like any other,
// with a lease, so that another node goes on when this one dies.
func (e *Engine) Serve(ctx context.Context, owner atelier.Wallet, hands int, chores map[string]NodeTask) error {
	var names []string
	for name := range chores {
		names = append(names, name)
	}
	for {
		w, err := e.Connect(ctx, owner, NewWorker{Name: "node", Network: atelier.NetworkNode, Models: names, Capacity: hands})
		if err == nil {
			done := make(chan error, hands)
			for range hands {
				go func() { done <- e.serve(ctx, w, chores) }()
			}
			for range hands {
				err = errors.Join(err, <-done)
			}
			_ = e.Disconnect(context.WithoutCancel(ctx), owner, w.ID)
		}
		if ctx.Err() != nil || e.draining.Load() {
			return nil
		}
		e.opts.Log.Warn("the node's own hands were interrupted", "error", err)
		if !clock.Sleep(ctx, time.Second) {
			return nil
		}
	}
}

// serve does one job after the other.
func (e *Engine) serve(ctx context.Context, w atelier.Worker, chores map[string]NodeTask) error {
	for {
		j, err := e.ClaimJob(ctx, w.Wallet, w.ID, 30*time.Second)
		if ctx.Err() != nil || e.draining.Load() {
			if j != nil {
				return e.Fail(context.WithoutCancel(ctx), w.Wallet, w.ID, j.ID, atelier.JobError{Code: atelier.FailDropped, Message: "The node is shutting down."})
			}
			return nil
		}
		if err != nil {
			return err
		}
		if j != nil {
			e.do(ctx, w, *j, chores[j.Spec.ModelID])
		}
	}
}

// do does one job and says how it went.
func (e *Engine) do(ctx context.Context, w atelier.Worker, j atelier.Job, chore NodeTask) {
	inner, stop := context.WithCancel(ctx)
	kept := make(chan struct{})
	go func() { defer close(kept); e.keep(inner, stop, w, j) }()
	put := map[string]string{} // artifact to key
	made, err := chore(inner, j, func(ctx context.Context, id, contentType string, content io.Reader) error {
		_, slot := slotOf(j.Spec, id)
		if slot == nil {
			return errors.New("fleet: the job has no such artifact")
		}
		put[id] = freshKey(j, *slot)
		_, err := e.blobs.Put(ctx, put[id], content, blob.PutOptions{ContentType: contentType})
		return err
	})
	stop()
	<-kept
	for i := range made {
		made[i].key = put[made[i].ID]
	}
	last := context.WithoutCancel(ctx)
	fail := func(fault atelier.JobError) func() error {
		return func() error { return e.Fail(last, w.Wallet, w.ID, j.ID, fault) }
	}
	finish := func() error { return e.Complete(last, w.Wallet, w.ID, j.ID, made, Metrics{}) }
	var plain *TaskError
	switch {
	case err == nil:
	case errors.As(err, &plain):
		finish = fail(atelier.JobError{Code: atelier.FailError, Message: plain.Message, Retryable: plain.Retryable})
	default:
		e.opts.Log.Warn("a chore failed", "job", j.ID, "tool", j.Spec.Tool, "error", err)
		finish = fail(atelier.JobError{Code: atelier.FailDropped, Message: "The service was interrupted.", Retryable: true})
	}
	err = finish()
	for tries := 0; isOutage(err) && tries < mostTries && clock.Sleep(ctx, time.Second); tries++ { // what was done is not thrown away
		err = finish()
	}
	if err != nil && !atelier.HasCode(err, atelier.CodeJobLost) {
		e.opts.Log.Warn("the outcome of a chore could not be noted", "job", j.ID, "error", err)
	}
	e.removeUnnamed(last, maps.Values(put))
}

// removeUnnamed removes what a chore has stored for a job that was cancelled or
// failed: nobody can ask for it. What cannot be removed now the sweeper finds.
func (e *Engine) removeUnnamed(ctx context.Context, keys iter.Seq[string]) {
	for key := range keys {
		named := true
		err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
			named, err = tx.KeyNamed(key)
			return err
		})
		if err == nil && !named {
			_ = e.blobs.Delete(ctx, key)
		}
	}
}

// mostTries bounds how often the outcome of a chore is noted, a second apart,
// while the database is away.
const mostTries = 300

// isOutage reports whether an error says that the database did not answer,
// rather than what it answered.
func isOutage(err error) bool {
	var said *atelier.Error
	return err != nil && (!errors.As(err, &said) || atelier.HasCode(err, atelier.CodeUnavailable))
}

// keep renews the lease of a job, and stops it when nobody wants it any more.
func (e *Engine) keep(ctx context.Context, stop func(), w atelier.Worker, j atelier.Job) {
	for clock.Sleep(ctx, e.opts.Lease/3) {
		standing, err := e.Progress(ctx, w.Wallet, w.ID, j.ID, ProgressReport{})
		if standing.Cancel || atelier.HasCode(err, atelier.CodeJobLost) {
			stop()
			return
		}
	}
}
