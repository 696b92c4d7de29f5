package api

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier/internal/telemetry"
)

// The parts are asked once a second, however many callers ask.
func TestReadinessIsAskedOnceASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		var broken atomic.Bool
		s := New(Config{
			Metrics: telemetry.NewMetrics(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
			Parts: []Part{{Name: "storage", Ping: func(ctx context.Context) error {
				asked.Add(1)
				if broken.Load() {
					return errors.New("away")
				}
				return ctx.Err()
			}}},
		})
		askAll := func(want int) {
			t.Helper()
			var callers sync.WaitGroup
			for range 200 {
				callers.Go(func() {
					if w := read(s, "/readyz"); w.Code != want {
						t.Errorf("got %d, want %d", w.Code, want)
					}
				})
			}
			callers.Wait()
		}
		askAll(200)
		askAll(200)
		if n := asked.Load(); n != 1 {
			t.Errorf("400 callers had the storage asked %d times, want once", n)
		}
		broken.Store(true)
		time.Sleep(readyAge)
		askAll(503)
		broken.Store(false)
		time.Sleep(readyAge)
		askAll(200)
		if n := asked.Load(); n != 3 {
			t.Errorf("after three seconds it was asked %d times, want 3", n)
		}
		s.Drain()
		askAll(503)
	})
}
