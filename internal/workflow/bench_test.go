package workflow_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

var engines = []struct {
	name string
	open func(testing.TB) store.Options
}{{"sqlite", storetest.SQLite}, {"postgres", storetest.Postgres}}

// newBenchFixture has renders that cost no time, and ten accounts.
func newBenchFixture(b *testing.B, o store.Options) (*fixture, []atelier.Account) {
	b.Helper()
	f := newFixture(b, o, full, withOptions(func(o *workflow.Options) { o.ActiveLimit = 1 << 30 }))
	var artists []atelier.Account
	for i := range 10 {
		artists = append(artists, f.AddAccount(atelier.Account{Wallet: atelier.Wallet(fmt.Sprint("0xartist", i))}, billing.Credits{Spark: 1e8 * atelier.MoneyUnit}))
	}
	return f, artists
}

// benchmarkWorkflows measures workflows that are started by a number of callers and
// done by as many workers that do nothing.
func benchmarkWorkflows(b *testing.B, steps ...atelier.StepInput) {
	for _, engine := range engines {
		for _, lanes := range []int{1, 8} {
			b.Run(fmt.Sprintf("%s/callers=%d", engine.name, lanes), func(b *testing.B) {
				f, artists := newBenchFixture(b, engine.open(b))
				ctx, stop := context.WithCancel(context.Background())
				var workers, callers sync.WaitGroup
				done := make([]chan struct{}, lanes)
				jobs := make([]int, lanes)
				var mu sync.Mutex
				lane := map[atelier.Wallet]int{} // each account has its own
				for k := range lanes {
					done[k] = make(chan struct{}, 1)
					lane[artists[k].Wallet] = k
				}
				for range lanes {
					workers.Go(func() {
						for ctx.Err() == nil {
							j, _ := f.Fleet.ClaimJob(ctx, wil, f.worker.ID, 10*time.Second)
							if j == nil {
								continue
							}
							if _, err := f.Fleet.Complete(context.Background(), wil, f.worker.ID, j.ID, apitype.Completion{Artifacts: []apitype.ReportedArtifact{{ID: j.Spec.Artifacts[0].ID}}}); err != nil {
								b.Error(err)
							}
							mu.Lock()
							k := lane[j.Wallet]
							jobs[k]++
							over := jobs[k]%len(steps) == 0
							mu.Unlock()
							if over {
								done[k] <- struct{}{}
							}
						}
					})
				}
				b.ResetTimer()
				for k := range lanes {
					callers.Go(func() {
						for i := k; i < b.N; i += lanes {
							if _, err := f.e.Start(ctx, artists[k], plan(steps...)); err != nil {
								b.Error(err)
								return
							}
							<-done[k]
						}
					})
				}
				callers.Wait()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "workflows/s")
				b.StopTimer()
				stop()
				workers.Wait()
			})
		}
	}
}

// BenchmarkOneStep measures a generation: start, claim, complete.
func BenchmarkOneStep(b *testing.B) { benchmarkWorkflows(b, fox) }

// BenchmarkChain12 measures the longest plan there is, one step after the
// other.
func BenchmarkChain12(b *testing.B) {
	steps := []atelier.StepInput{fox}
	for i := 1; i < atelier.MaxSteps; i++ {
		from := "a"
		if i > 1 {
			from = fmt.Sprint("s", i-1)
		}
		steps = append(steps, upscale(fmt.Sprint("s", i), from, true))
	}
	benchmarkWorkflows(b, steps...)
}

// BenchmarkStart measures the start alone.
func BenchmarkStart(b *testing.B) {
	for _, engine := range engines {
		b.Run(engine.name, func(b *testing.B) {
			f, artists := newBenchFixture(b, engine.open(b))
			for b.Loop() {
				if _, err := f.e.Start(context.Background(), artists[0], plan(fox)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
