package fleet_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// everything is a store in which every object is.
type everything struct{ blob.SignedStore }

func (everything) Stat(_ context.Context, key string) (blob.Object, error) {
	return blob.Object{Key: key, Size: 1}, nil
}

func (everything) Copy(context.Context, string, string) error { return nil }

func (everything) Delete(context.Context, string) error { return nil }

// benchYard is an engine whose renders cost nothing.
func benchYard(b *testing.B, o store.Options) *yard {
	b.Helper()
	y := &yard{t: b, db: storetest.Open(b, o)}
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	nudges, err := bus.Open(b.Context(), "", quiet)
	if err != nil {
		b.Fatal(err)
	}
	y.bill = billing.New(y.db, y.now, func(atelier.PlanTier) int { return 0 })
	y.e = fleet.New(y.db, nudges, everything{}, y.bill, fleet.Options{Lease: time.Minute, Now: y.now, Log: quiet})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { y.e.Run(ctx); close(done) }()
	b.Cleanup(func() { cancel(); <-done; nudges.Close() })
	return y
}

var engines = []struct {
	name string
	open func(testing.TB) store.Options
}{{"sqlite", storetest.SQLite}, {"postgres", storetest.Postgres}}

// BenchmarkJobs measures jobs submitted, claimed and settled a second, by a
// renderer that does nothing, with 1, 10 and 100 workers.
func BenchmarkJobs(b *testing.B) {
	for _, engine := range engines {
		for _, workers := range []int{1, 10, 100} {
			b.Run(fmt.Sprintf("%s/workers=%d", engine.name, workers), func(b *testing.B) {
				benchmarkJobs(b, benchYard(b, engine.open(b)), workers)
			})
		}
	}
}

func benchmarkJobs(b *testing.B, y *yard, workers int) {
	wil := y.account("wil", 0)
	var artists []atelier.Wallet
	for i := range 10 {
		artists = append(artists, y.account(fmt.Sprint("a", i), 1<<50))
	}
	var hands []hand
	for range workers {
		hands = append(hands, y.connect(wil))
	}
	b.ResetTimer()
	var left sync.WaitGroup
	left.Add(b.N)
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for _, h := range hands {
		wg.Go(func() {
			for ctx.Err() == nil {
				j, _ := y.e.ClaimJob(ctx, wil, h.id, 10*time.Second)
				if j == nil {
					continue
				}
				if err := h.complete(j, "a0", "a1"); err != nil {
					b.Error(err)
				}
				left.Done()
			}
		})
	}
	for lane := range 8 { // as many callers submit at once
		wg.Go(func() {
			for i := lane; i < b.N; i += 8 {
				y.mustSubmit(artists[i%10], "x")
			}
		})
	}
	left.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
	b.StopTimer()
	stop()
	wg.Wait()
}

// BenchmarkPickup measures the time from a submitted job to the worker that
// waits for it having it.
func BenchmarkPickup(b *testing.B) {
	for _, engine := range engines {
		b.Run(engine.name, func(b *testing.B) {
			y := benchYard(b, engine.open(b))
			wil, ann := y.account("wil", 0), y.account("ann", 1<<50)
			h := y.connect(wil)
			var times []time.Duration
			for b.Loop() {
				got := make(chan *atelier.Job, 1)
				go func() { got <- h.must() }()
				for y.e.Waiting(atelier.NetworkFast) == 0 {
					time.Sleep(50 * time.Microsecond) // nothing signals that a claim waits
				}
				y.mustSubmit(ann, "x")
				began := time.Now()
				j := <-got
				times = append(times, time.Since(began))
				if err := h.complete(j, "a0", "a1"); err != nil {
					b.Fatal(err)
				}
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}
