//go:build unix

package fleet_test

import (
	"context"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/analytics"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/live"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// BenchmarkNudges measures jobs submitted, claimed and settled a second by a node that sends no
// nudges to others and by one that sends them by way of PostgreSQL. The two take turns, and the
// medians of the turns count: lost-% is what the nudges cost, lost-cpu-% the same of the time on
// processors, which other processes disturb less.
func BenchmarkNudges(b *testing.B) {
	compareSides(b, func(with bool) *settleSide { return newSettleSide(b, storetest.Postgres(b), with) })
}

func compareSides(b *testing.B, open func(with bool) *settleSide) {
	sides := [2]*settleSide{open(false), open(true)}
	for turn := 0; b.Loop(); turn++ {
		for i := range sides {
			sides[(i+turn)%2].turn(b)
		}
	}
	without, with := sides[0].median(), sides[1].median()
	b.ReportMetric(without.rate, "without-jobs/s")
	b.ReportMetric(with.rate, "with-jobs/s")
	b.ReportMetric(100*(1-with.rate/without.rate), "lost-%")
	b.ReportMetric(100*(1-without.cpu/with.cpu), "lost-cpu-%")
}

// settleSide is one of the two that take turns.
type settleSide struct {
	f        *fixture
	counters *analytics.Engine
	workers  []testWorker
	turns    []settleTurn
}

// settleTurn is what one turn took.
type settleTurn struct {
	rate float64 // jobs a second
	cpu  float64 // of this process for a job
}

const (
	settleWorkers = 16
	settleJobs    = 1000 // of a turn
)

func newSettleSide(b *testing.B, o store.Options, linked bool) *settleSide {
	f := &fixture{Env: enginetest.New(b, o, func(o *enginetest.Options) {
		o.Full, o.Linked = true, linked
		o.Fleet = fleet.Options{Lease: time.Hour}
	})}
	live.New(f.DB, f.Bus) // publishes what changes of an account
	s := &settleSide{f: f, counters: analytics.New(f.DB, f.Now)}
	f.stopNode = f.RunFleet(f.Fleet)
	f.account("wil", 0)
	for _, name := range artistNames {
		f.account(name, 1<<50)
	}
	for range settleWorkers {
		s.workers = append(s.workers, f.connect("0xwil"))
	}
	return s
}

var artistNames = []string{"a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"}

// turn submits and settles jobs and counts their records.
func (s *settleSide) turn(b *testing.B) {
	began, cpu := time.Now(), processTime(b)
	var wg sync.WaitGroup
	for lane := range 8 { // concurrent callers
		wg.Go(func() {
			for i := lane; i < settleJobs; i += 8 {
				s.f.mustSubmit(atelier.Wallet("0x"+artistNames[i%len(artistNames)]), "x")
			}
		})
	}
	for i, worker := range s.workers {
		wg.Go(func() {
			for j := i; j < settleJobs; j += settleWorkers {
				if err := worker.complete(worker.MustClaim(), "a0", "a1"); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := s.counters.Count(context.Background()); err != nil {
		b.Error(err)
	}
	s.turns = append(s.turns, settleTurn{settleJobs / time.Since(began).Seconds(), (processTime(b) - cpu).Seconds() / settleJobs})
}

// median is the median of each figure.
func (s *settleSide) median() settleTurn {
	middle := func(figure func(settleTurn) float64) float64 {
		var all []float64
		for _, t := range s.turns {
			all = append(all, figure(t))
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	return settleTurn{middle(func(t settleTurn) float64 { return t.rate }), middle(func(t settleTurn) float64 { return t.cpu })}
}

// processTime is the time that this process has spent on processors.
func processTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
