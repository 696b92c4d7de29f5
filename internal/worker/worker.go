package worker

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/clock"
)

// Worker claims and renders jobs of a service.
type Worker struct {
	Client   *client.Client
	Spec     apitype.WorkerSpec
	Renderer Renderer
	Pace     time.Duration // the least time a render takes
	Patience time.Duration // how long it keeps trying to deliver results; a quarter of an hour when zero
	Log      *slog.Logger

	// Timeout is the longest that the render of a job may take; zero, or a nil
	// function, is no limit.
	Timeout func(apitype.Assignment) time.Duration

	// Connected is called whenever the service has accepted the worker. It may be
	// nil.
	Connected func()

	// Machine measures the machine that renders, for the heartbeats. It may be nil.
	Machine func(context.Context) apitype.Machine

	// Slots limits the renders of several workers together: each holds an element
	// while it renders. It may be nil.
	Slots chan struct{}
}

// patience is how long one claim waits.
const patience = 25 * time.Second

// Run works until ctx ends, then returns unfinished jobs. It waits for a service
// that does not answer.
func (w *Worker) Run(ctx context.Context) error {
	if n := removeAbandoned(os.TempDir(), time.Now()); n > 0 {
		w.Log.Info("folders of interrupted renders removed", "folders", n)
	}
	for pause := (clock.Backoff{First: time.Second, Most: 30 * time.Second}); ; {
		began := time.Now()
		err := w.session(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if client.Is(err, http.StatusUnauthorized) || client.Is(err, http.StatusForbidden) || client.Is(err, http.StatusBadRequest) {
			return err // a retry cannot help
		}
		if time.Since(began) > time.Minute {
			pause.Reset()
		}
		wait := pause.Next()
		w.Log.Warn("worker session lost, will reconnect", "error", err, "wait", wait)
		if !clock.Sleep(ctx, wait) {
			return nil
		}
	}
}

// session connects and works until ctx ends or the session is lost.
func (w *Worker) session(ctx context.Context) error {
	spec := w.Spec
	if state, _ := w.state(); state.Models != nil {
		spec.Models = state.Models
	}
	s, err := w.Client.Connect(ctx, spec)
	if err != nil {
		return err
	}
	w.Log.Debug("worker connected", "worker", s.ID, "models", len(spec.Models))
	if w.Connected != nil {
		w.Connected()
	}
	inner, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	var wg sync.WaitGroup
	wg.Go(func() { w.heartbeat(inner, s, spec.Models, lost) })
	gate := make(chan struct{}, max(1, w.Spec.Capacity))
	for range 3 * cap(gate) {
		wg.Go(func() { w.work(inner, s, &place{gate: gate}, lost) })
	}
	wg.Wait()
	// The service requeues unfinished jobs at once, instead of when their leases
	// expire.
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := s.Close(closing); err != nil && ctx.Err() == nil && !client.Is(err, http.StatusNotFound) {
		w.Log.Debug("close worker session failed", "error", err)
	}
	return context.Cause(inner)
}

// work claims and does jobs, one at a time. It has a place from before it claims a job until that
// is about to be rendered: then another call of work claims the next one, and fetches its inputs
// while the results of this one go out.
func (w *Worker) work(ctx context.Context, s *client.Session, at *place, lost context.CancelCauseFunc) {
	var job *apitype.Assignment
	pause := clock.Backoff{First: firstWait, Most: mostWait}
	defer at.leave()
	for at.take(ctx) && w.awaitAvailable(ctx, s, &job) {
		if job != nil {
			job = w.do(ctx, s, *job, at)
			continue
		}
		var err error
		claim, cancel := w.whileAvailable(ctx)
		job, err = s.Claim(claim, patience)
		unavailable := claim.Err() != nil
		cancel()
		switch {
		case err == nil || unavailable:
			pause.Reset()
		case client.IsTemporary(err): // other jobs of this session continue
			wait := pause.Next()
			w.Log.Warn("claim failed, will retry", "error", err, "wait", wait)
			clock.Sleep(ctx, wait)
		case client.Is(err, http.StatusConflict): // a job whose answer was lost: its lease ends
			w.Log.Warn("claim refused: worker at capacity", "error", err)
			clock.Sleep(ctx, s.Lease/2)
		default:
			lost(err)
			return
		}
	}
	if job != nil { // it was claimed while the worker was asked to stop
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastMoment)
		defer cancel()
		w.logRefused(*job, s.Fail(last, job.JobID, apitype.JobFailure{Code: atelier.FailDropped, Message: "The worker is shutting down.", Retryable: true}))
	}
}

// do renders one job and reports the outcome. It returns the next one, if one is
// waiting.
func (w *Worker) do(ctx context.Context, s *client.Session, job apitype.Assignment, at *place) (next *apitype.Assignment) {
	began := time.Now()
	out, err := w.render(ctx, s, job, at)
	last := w.handOver(ctx, s, job)
	defer last.stop()
	fail := func(code, message string, retryable bool) error {
		return last.call(func(c context.Context) error {
			return s.Fail(c, job.JobID, apitype.JobFailure{Code: code, Message: message, Retryable: retryable})
		})
	}
	if err == nil {
		took := apitype.RenderMetrics{RenderSeconds: time.Since(out.began).Seconds(), ModelSwitchSeconds: out.switched.Seconds()}
		err = last.call(func(c context.Context) (err error) {
			next, err = s.Complete(c, job.JobID, apitype.Completion{Artifacts: out.artifacts, Metrics: took, ClaimNext: ctx.Err() == nil && w.unavailable() == "" && at.tryTake()})
			return err
		})
		if err != nil && !out.receipt && !isRefusal(err) {
			w.logRefused(job, err) // its lease expires, and another worker tries
			return nil
		}
		err = judge(err, out.receipt)
	}
	switch {
	case err == nil:
		w.Log.Info("job completed", append(out.times.attributes(job, out.artifacts), "total", seconds(time.Since(began)))...)
		return next
	case errors.Is(err, errLost):
		w.Log.Info("job lost: lease expired or cancelled", "job", job.JobID)
		return nil
	case ctx.Err() != nil && FailureOf(err).Code != atelier.FailUnknown:
		err = fail("dropped", "The worker is shutting down.", true)
	case err == errCancelled:
		w.Log.Info("job cancelled", "job", job.JobID, "tool", job.ToolName)
		f := FailureOf(err)
		err = fail(f.Code, f.Message, f.Retryable)
	default:
		f, isFull := FailureOf(err), isDiskFull(err)
		w.Log.Info("render failed", "job", job.JobID, "tool", job.ToolName, "code", f.Code, "reason", cmp.Or(f.logged, f.Message))
		err = fail(f.Code, replaceNUL(Redact(f.Message)), f.Retryable)
		if state, _ := w.state(); f.Code == atelier.FailUnavailable && state.Unavailable == "" && !isFull { // a full disk needs the time until then
			_, _, _ = w.beat(ctx, s, apitype.Heartbeat{Loaded: state.Loaded}) // otherwise it gets no jobs until the next one
		}
	}
	w.logRefused(job, err)
	return nil
}

// logRefused logs an outcome that the service did not accept.
func (w *Worker) logRefused(job apitype.Assignment, err error) {
	if err != nil {
		w.Log.Warn("report job outcome failed", "job", job.JobID, "error", err)
	}
}

// errLost says that another worker has the job, or that it was cancelled.
var errLost = errors.New("the worker no longer holds the job")
