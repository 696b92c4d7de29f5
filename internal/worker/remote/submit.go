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
// when the vendor has taken it, a *busyError when it has not, a *doubtError when
// that is unknown, and a *worker.Failure when it never will.
//
// The error is a *worker.Failure: unknown, dropped, or the vendor's refusal.
func (r *Renderer) submit(ctx context.Context, t worker.Task, rec *receipt, i int, send func(ctx context.Context, key string) error) error {
	key := fmt.Sprintf("atelier-%s-%d", t.JobID, i)
	deadline := time.Now().Add(r.opts.Retrying)
	if rec.Parts[i].State == intent && !r.idempotent() {
		return unknown("An earlier attempt called the vendor, and the answer was lost.")
	}
	doubtful := rec.Parts[i].State == intent // an earlier request may have been taken
	for wait := r.opts.Backoff; ; wait = min(2*wait, 30*time.Second) {
		if rec.Parts[i].State != intent {
			if ctx.Err() != nil {
				return stopped(ctx)
			}
			if err := rec.set(ctx, i, intent, ""); err != nil {
				return r.forget(ctx, rec, i, dropped("The vendor was not called, because the service could not store the receipt: %v.", err))
			}
			if ctx.Err() != nil { // the answer said that the job is cancelled
				return r.forget(ctx, rec, i, stopped(ctx))
			}
		}
		sending, cancel := r.lingering(ctx)
		err := send(sending, key)
		cancel()
		var busy *busyError
		var doubt *doubtError
		var failure *worker.Failure
		pause := wait + rand.N(wait/2+1)
		switch {
		case err == nil:
			return nil
		case errors.As(err, &busy):
			if pause = max(pause, busy.after); r.idempotent() {
				break
			}
			// Nothing is there, and a later attempt must know it.
			if err := rec.set(ctx, i, unsent, ""); err != nil {
				return unknown("The vendor is overloaded, and the service could not be informed: %v.", err)
			}
		case errors.As(err, &doubt) && r.idempotent():
			doubtful = true
		case errors.As(err, &failure):
			_ = rec.set(ctx, i, refused, "") // its reason is reported now; should that be lost, the vendor is asked again
			return failure
		default:
			return unknown("It is not known whether the vendor accepted the job: %v.", err)
		}
		r.opts.Log.Warn("vendor call failed, will retry", "vendor", r.opts.Name, "job", t.JobID, "reason", err, "wait", pause)
		t.Report(0, "waiting for the vendor")
		if time.Now().Add(pause).After(deadline) || !clock.Sleep(ctx, pause) {
			return r.giveUp(ctx, rec, i, err, doubtful)
		}
	}
}

// giveUp ends a submit that was tried for long enough, or is to end.
func (r *Renderer) giveUp(ctx context.Context, rec *receipt, i int, err error, doubtful bool) error {
	if doubtful {
		return unknown("It is not known whether the vendor accepted the job: %v.", err)
	}
	end := dropped("The vendor is overloaded: %v.", err)
	if ctx.Err() != nil {
		end = stopped(ctx)
	}
	return r.forget(ctx, rec, i, end)
}

// forget notes that the vendor has nothing of a part, and returns the error given
// when the service knows it.
func (r *Renderer) forget(ctx context.Context, rec *receipt, i int, end error) error {
	if rec.Parts[i].State == unsent && !rec.owed {
		return end
	}
	if err := rec.set(ctx, i, unsent, ""); err != nil {
		return unknown("The vendor was not called, and the service could not be informed: %v.", err)
	}
	return end
}

// stopped is the end of a job that ends before the vendor has anything of it.
func stopped(ctx context.Context) error {
	if worker.Cancelled(ctx) {
		return worker.Failf("It was cancelled.")
	}
	return dropped("The worker is shutting down.")
}

// lingering is the context of a request that should not be broken off: it goes
// on when the job is cancelled, and for a moment when the worker stops.
func (r *Renderer) lingering(ctx context.Context) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if !worker.Cancelled(ctx) {
			time.AfterFunc(r.opts.Linger, cancel)
		}
	})
	return inner, func() { stop(); cancel() }
}

// steady is the context of what is done for a job that may be cancelled: it ends
// when the worker stops.
func steady(ctx context.Context) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if !worker.Cancelled(ctx) {
			cancel()
		}
	})
	return inner, func() { stop(); cancel() }
}
