package worker

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/clock"
)

// A render is expensive and a call is not: a worker with a result keeps trying to
// deliver it while the service, or its database, does not answer.
const (
	handoverPatience = 15 * time.Minute // unless the worker says otherwise
	handoverCall     = time.Minute      // one call
	handoverStop     = 30 * time.Second // in all, once the worker is asked to stop
	firstWait        = 500 * time.Millisecond
	mostWait         = 5 * time.Second
)

// persist repeats a call that the service could not answer, until it answers, or
// has been unavailable for too long. It stops when giveUp reports true; giveUp may
// be nil.
func (w *Worker) persist(ctx context.Context, call func() error, giveUp func() bool) error {
	limit := w.Patience
	if limit == 0 {
		limit = handoverPatience
	}
	began := time.Now()
	for pause := (clock.Backoff{First: firstWait, Most: mostWait}); ; {
		err, wait := call(), pause.Next()
		if !client.IsTemporary(err) || ctx.Err() != nil || time.Since(began)+wait > limit || giveUp != nil && giveUp() {
			return err
		}
		w.Log.Warn("call failed, will retry", "error", err, "wait", wait)
		if !clock.Sleep(ctx, wait/2+rand.N(wait/2)) { // spreads the calls of many workers
			return err
		}
	}
}

// handover delivers the outcome of a render, and renews the lease of the job until
// the service has accepted it.
type handover struct {
	w    *Worker
	ctx  context.Context
	lost atomic.Bool // the job has another worker
	stop func()
}

// handOver begins to deliver the outcome of a job.
func (w *Worker) handOver(ctx context.Context, s *client.Session, job apitype.Assignment) *handover {
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	forget := context.AfterFunc(ctx, func() { time.AfterFunc(handoverStop, cancel) })
	h := &handover{w: w, ctx: inner}
	var keeping sync.WaitGroup
	keeping.Go(func() { h.renewLease(s, job) })
	h.stop = func() { forget(); cancel(); keeping.Wait() }
	return h
}

// renewLease renews the lease until the handover is over, or the job is lost.
func (h *handover) renewLease(s *client.Session, job apitype.Assignment) {
	for clock.Sleep(h.ctx, s.Lease/4) {
		_, err := s.Progress(h.ctx, job.JobID, apitype.JobProgress{Progress: 1})
		if client.Is(err, http.StatusConflict) || client.Is(err, http.StatusNotFound) {
			h.lost.Store(true) // or it was just completed: the call in progress decides
			return
		}
	}
}

// call makes a call until the service has accepted it.
func (h *handover) call(call func(context.Context) error) error {
	return h.w.persist(h.ctx, func() error {
		ctx, cancel := context.WithTimeout(h.ctx, handoverCall)
		defer cancel()
		return call(ctx)
	}, h.lost.Load)
}
