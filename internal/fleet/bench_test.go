package fleet_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// newBenchFixture is an engine whose renders are free.
func newBenchFixture(b *testing.B, o store.Options) *fixture {
	b.Helper()
	f := &fixture{Env: enginetest.New(b, o, func(o *enginetest.Options) {
		o.Full = true
		o.Fleet = fleet.Options{Lease: time.Minute}
	})}
	f.stopNode = f.RunFleet(f.Fleet)
	return f
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
				benchmarkJobs(b, newBenchFixture(b, engine.open(b)), workers)
			})
		}
	}
}

func benchmarkJobs(b *testing.B, f *fixture, workers int) {
	wil := f.account("wil", 0)
	var artists []atelier.Wallet
	for i := range 10 {
		artists = append(artists, f.account(fmt.Sprint("a", i), 1<<50))
	}
	var connected []testWorker
	for range workers {
		connected = append(connected, f.connect(wil))
	}
	b.ResetTimer()
	var left sync.WaitGroup
	left.Add(b.N)
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for _, worker := range connected {
		wg.Go(func() {
			for ctx.Err() == nil {
				j, _ := f.Fleet.ClaimJob(ctx, wil, worker.ID, 10*time.Second)
				if j == nil {
					continue
				}
				if err := worker.complete(j, "a0", "a1"); err != nil {
					b.Error(err)
				}
				left.Done()
			}
		})
	}
	for lane := range 8 { // concurrent callers
		wg.Go(func() {
			for i := lane; i < b.N; i += 8 {
				f.mustSubmit(artists[i%10], "x")
			}
		})
	}
	left.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
	b.StopTimer()
	stop()
	wg.Wait()
}

// BenchmarkPickup measures the time from submitting a job until a waiting worker
// has it.
func BenchmarkPickup(b *testing.B) {
	for _, engine := range engines {
		b.Run(engine.name, func(b *testing.B) {
			f := newBenchFixture(b, engine.open(b))
			wil, ann := f.account("wil", 0), f.account("ann", 1<<50)
			worker := f.connect(wil)
			var times []time.Duration
			for b.Loop() {
				got := make(chan *atelier.Job, 1)
				go func() { got <- worker.MustClaim() }()
				f.ClaimWaits.Wait(b, 1)
				f.mustSubmit(ann, "x")
				began := time.Now()
				j := <-got
				times = append(times, time.Since(began))
				if err := worker.complete(j, "a0", "a1"); err != nil {
					b.Fatal(err)
				}
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}
