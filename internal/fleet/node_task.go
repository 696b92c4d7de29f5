package fleet

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"maps"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/store"
)

// NodeTask runs a job of the node network inside this process. It stops when ctx
// ends. A failure that its owner may read is a *TaskError.
type NodeTask func(ctx context.Context, j atelier.Job, put Put) ([]apitype.ReportedArtifact, error)

// Put stores an artifact of a job and returns the key of the object.
type Put func(ctx context.Context, artifactID, contentType string, content io.Reader) (key string, err error)

// TaskError is a failure of a task, with a message for its owner.
type TaskError struct {
	Message   string
	Retryable bool
}

// Error implements the error interface.
func (e *TaskError) Error() string { return e.Message }

// Serve does the jobs of the node network in this process until ctx ends: work that
// must survive a crash but needs no renderer. The process is a worker with leases like
// any other, so that another node takes over when this one dies.
func (e *Engine) Serve(ctx context.Context, owner atelier.Wallet, concurrency int, tasks map[string]NodeTask, connected func()) error {
	var names []string
	for name := range tasks {
		names = append(names, name)
	}
	for {
		w, err := e.Connect(ctx, owner, apitype.WorkerSpec{Name: cmp.Or(e.opts.Node, "node"), Network: atelier.NetworkNode, Models: names, Capacity: concurrency, Version: e.opts.Version})
		if err == nil {
			connected()
			done := make(chan error, concurrency)
			for range concurrency {
				go func() { done <- e.serve(ctx, w, tasks) }()
			}
			for range concurrency {
				err = errors.Join(err, <-done)
			}
			_ = e.Disconnect(context.WithoutCancel(ctx), owner, w.ID)
		}
		if ctx.Err() != nil || e.draining.Load() {
			return nil
		}
		e.opts.Log.Warn("node tasks interrupted", "error", err)
		if !clock.Sleep(ctx, time.Second) {
			return nil
		}
	}
}

// serve does one job after the other.
func (e *Engine) serve(ctx context.Context, w atelier.Worker, tasks map[string]NodeTask) error {
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
			e.do(ctx, w, *j, tasks[j.Spec.ModelID])
		}
	}
}

// do does one job and reports its outcome.
func (e *Engine) do(ctx context.Context, w atelier.Worker, j atelier.Job, task NodeTask) {
	inner, stop := context.WithCancel(ctx)
	renewed := make(chan struct{})
	go func() { defer close(renewed); e.renewLease(inner, stop, w, j) }()
	put := map[string]string{} // artifact to key
	artifacts, err := task(inner, j, func(ctx context.Context, id, contentType string, content io.Reader) (string, error) {
		_, slot := slotOf(j.Spec, id)
		if slot == nil {
			return "", errors.New("fleet: the job has no such artifact")
		}
		put[id] = freshKey(j, *slot)
		_, err := e.blobs.Put(ctx, put[id], content, blob.PutOptions{ContentType: contentType})
		return put[id], err
	})
	stop()
	<-renewed
	last := context.WithoutCancel(ctx)
	fail := func(fault atelier.JobError) func() error {
		return func() error { return e.Fail(last, w.Wallet, w.ID, j.ID, fault) }
	}
	finish := func() error {
		return e.finish(last, w.Wallet, w.ID, j.ID, apitype.Completion{Artifacts: artifacts}, put, nil)
	}
	var plain *TaskError
	switch {
	case err == nil:
	case errors.As(err, &plain):
		finish = fail(atelier.JobError{Code: atelier.FailError, Message: plain.Message, Retryable: plain.Retryable})
	default:
		e.opts.Log.Warn("node task failed", "job", j.ID, "tool", j.Spec.Tool, "error", err)
		finish = fail(atelier.JobError{Code: atelier.FailDropped, Message: "The service was interrupted.", Retryable: true})
	}
	err = finish()
	for tries := 0; atelier.IsOutage(err) && tries < mostTries && clock.Sleep(ctx, time.Second); tries++ { // the work is done and must not be lost
		err = finish()
	}
	if err != nil && !atelier.HasCode(err, atelier.CodeJobLost) {
		e.opts.Log.Warn("record node task outcome failed", "job", j.ID, "error", err)
	}
	e.removeUnnamed(last, maps.Values(put))
}

// removeUnnamed removes the objects of a task whose job was cancelled or failed: no
// row names them. The sweeper removes those that this cannot.
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

// mostTries is how often the outcome of a task is recorded again, a second apart,
// while the database is unavailable.
const mostTries = 300

// renewLease renews the lease of a job until ctx ends. It stops a job that was
// cancelled or lost.
func (e *Engine) renewLease(ctx context.Context, stop func(), w atelier.Worker, j atelier.Job) {
	for clock.Sleep(ctx, e.opts.Lease/3) {
		standing, err := e.Progress(ctx, w.Wallet, w.ID, j.ID, apitype.JobProgress{})
		if standing.Cancel || atelier.HasCode(err, atelier.CodeJobLost) {
			stop()
			return
		}
	}
}
