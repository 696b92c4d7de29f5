package remote

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/worker"
)

// submit makes one request to a vendor, with a receipt before it. send returns nil
// when the vendor has accepted it, a *busyError when it has not, an
// *unresolvedError when that is unknown, and a *worker.Failure when it has rejected
// it.
//
// The error is a *worker.Failure: unknown, dropped, or the vendor's refusal.
func (r *Renderer) submit(ctx context.Context, t worker.Task, rec *receipt, i int, send func(ctx context.Context, key string) error) error {
	key := fmt.Sprintf("atelier-%s-%d", t.JobID, i)
	deadline := time.Now().Add(r.opts.RetryFor)
	if rec.Parts[i].State == intent && !r.idempotent() {
		return unknown("An earlier attempt called the vendor, and the answer was lost.")
	}
	maybeAccepted := rec.Parts[i].State == intent // an earlier request may have been accepted
	for backoff := (clock.Backoff{First: r.opts.Backoff, Most: 30 * time.Second}); ; {
		wait := backoff.Next()
		if rec.Parts[i].State != intent {
			if ctx.Err() != nil {
				return stopped(ctx)
			}
			if err := rec.set(ctx, i, intent, ""); err != nil {
				return r.markUnsent(ctx, rec, i, dropped("The vendor was not called, because the service could not store the receipt: %v.", err))
			}
			if ctx.Err() != nil { // the answer said that the job is cancelled
				return r.markUnsent(ctx, rec, i, stopped(ctx))
			}
		}
		sending, cancel := r.requestContext(ctx)
		err := send(sending, key)
		cancel()
		var busy *busyError
		var unresolved *unresolvedError
		var failure *worker.Failure
		pause := wait + rand.N(wait/2+1)
		switch {
		case err == nil:
			return nil
		case errors.As(err, &busy):
			if pause = max(pause, busy.after); r.idempotent() {
				break
			}
			// The vendor has nothing, and a later attempt must know it.
			if err := rec.set(ctx, i, unsent, ""); err != nil {
				return unknown("The vendor is overloaded, and the service could not be informed: %v.", err)
			}
		case errors.As(err, &unresolved) && r.idempotent():
			maybeAccepted = true
		case errors.As(err, &failure):
			_ = rec.set(ctx, i, refused, "") // the reason is reported now; if the report is lost, the vendor is called again
			return failure
		default:
			return unknown("It is not known whether the vendor accepted the job: %v.", err)
		}
		r.opts.Log.Warn("vendor call failed, will retry", "vendor", r.opts.Name, "job", t.JobID, "reason", err, "wait", pause)
		t.Report(0, "waiting for the vendor")
		if time.Now().Add(pause).After(deadline) || !clock.Sleep(ctx, pause) {
			return r.giveUp(ctx, rec, i, err, maybeAccepted)
		}
	}
}

// giveUp ends a submit that was retried for long enough, or was stopped.
func (r *Renderer) giveUp(ctx context.Context, rec *receipt, i int, err error, maybeAccepted bool) error {
	if maybeAccepted {
		return unknown("It is not known whether the vendor accepted the job: %v.", err)
	}
	end := dropped("The vendor is overloaded: %v.", err)
	if ctx.Err() != nil {
		end = stopped(ctx)
	}
	return r.markUnsent(ctx, rec, i, end)
}

// markUnsent records in the receipt that the vendor does not have a part, and
// returns the given error when that is stored.
func (r *Renderer) markUnsent(ctx context.Context, rec *receipt, i int, end error) error {
	if rec.Parts[i].State == unsent && !rec.unsaved {
		return end
	}
	if err := rec.set(ctx, i, unsent, ""); err != nil {
		return unknown("The vendor was not called, and the service could not be informed: %v.", err)
	}
	return end
}

// stopped is the end of a job that was stopped before the vendor received it.
func stopped(ctx context.Context) error {
	if worker.Cancelled(ctx) {
		return worker.Failf("It was cancelled.")
	}
	return dropped("The worker is shutting down.")
}

// requestContext is the context of a request that should not be interrupted: it
// continues when the job is cancelled, and for a moment when the worker stops. A
// request to a local server is just aborted.
func (r *Renderer) requestContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.opts.Local {
		return context.WithCancel(ctx)
	}
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if !worker.Cancelled(ctx) {
			time.AfterFunc(r.opts.StopWait, cancel)
		}
	})
	return inner, func() { stop(); cancel() }
}

// untilWorkerStops is a context that continues when the job is cancelled, and ends
// when the worker stops.
func untilWorkerStops(ctx context.Context) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if !worker.Cancelled(ctx) {
			cancel()
		}
	})
	return inner, func() { stop(); cancel() }
}
