package worker_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/worker"
)

// A render that takes too long fails, and its error names the limit. When a vendor
// may have rendered it, the outcome is unknown; a failure that the renderer reports
// stays.
func TestARenderThatTakesTooLong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, receipt string
		end           error // of the renderer, that of its context when nil
		code, message string
	}{
		{name: "plainly", code: atelier.FailError, message: "longer than the limit of 20ms"},
		{name: "with a receipt", receipt: "a vendor may have it", code: atelier.FailUnknown, message: "longer than the limit of 20ms"},
		{name: "and the renderer does not know", receipt: "a vendor may have it",
			end:  &worker.Failure{Code: atelier.FailUnknown, Message: "The worker is shutting down.", Retryable: true},
			code: atelier.FailUnknown, message: "longer than the limit of 20ms"},
		{name: "and no vendor has taken it", receipt: "nothing is out",
			end:  &worker.Failure{Code: atelier.FailDropped, Message: "The worker is shutting down.", Retryable: true},
			code: atelier.FailError, message: "longer than the limit of 20ms"},
		{name: "and it has failed", receipt: "a vendor had it",
			end:  &worker.Failure{Code: atelier.FailContentFiltered, Message: "The vendor refused the request."},
			code: atelier.FailContentFiltered, message: "The vendor refused the request."},
	} {
		inBubble(t, c.name, func(t *testing.T) {
			service := newProtocolServer(t, simple())
			end := service.serveWith(t, func(w *worker.Worker) {
				w.Timeout = func(apitype.Assignment) time.Duration { return 20 * time.Millisecond }
				w.Renderer = renderFunc(func(ctx context.Context, k worker.Task) ([]worker.Output, error) {
					if c.receipt != "" {
						if err := k.Keep(context.WithoutCancel(ctx), c.receipt); err != nil {
							return nil, err
						}
					}
					<-ctx.Done()
					if worker.Cancelled(ctx) {
						t.Error("a job that takes too long counts as cancelled")
					}
					if c.end != nil {
						return nil, c.end
					}
					return nil, ctx.Err()
				})
			})
			message, _ := end["message"].(string)
			if end["verb"] != "fail" || end["code"] != c.code || !strings.Contains(message, c.message) {
				t.Errorf("the job ended with %v, want %s and %q", end, c.code, c.message)
			}
		})
	}
}

// The time of a render begins when it has a slot, and a result in time is
// delivered.
func TestWaitingForASlotTakesNoTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slots := make(chan struct{}, 1)
		slots <- struct{}{} // another render has the slot
		var free atomic.Bool
		service := newProtocolServer(t, simple())
		go func() {
			<-service.reports // it has the job, and waits
			free.Store(true)
			<-slots
		}()
		end := service.serveWith(t, func(w *worker.Worker) {
			w.Slots = slots
			w.Timeout = func(apitype.Assignment) time.Duration {
				if !free.Load() {
					t.Error("the time begins before there is a slot")
				}
				return time.Hour
			}
			w.Renderer = renderFunc(func(ctx context.Context, k worker.Task) ([]worker.Output, error) {
				if _, ok := ctx.Deadline(); !ok || len(slots) != 1 {
					t.Error("it renders without a deadline or without its slot")
				}
				return paint(ctx, k)
			})
		})
		if end["verb"] != "complete" || len(slots) != 0 {
			t.Errorf("the job ended with %v, and %d slots are held", end, len(slots))
		}
	})
}
