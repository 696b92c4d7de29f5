package fleet_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A worker that reports too often first gets answers without a write, and is then
// asked to wait.
func TestReportsAreBounded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, eve := f.account("ann", 900), f.account("eve", 0)
		worker := f.connect(eve)
		j := worker.leased(ann, "one")
		written, busy := 0, error(nil)
		for i := range 2000 {
			before := f.hookCalls()
			s, err := worker.progress(j, float64(i)/2000)
			if err != nil {
				busy = err
				break
			}
			if s.Cancel || !s.LeaseUntil.After(f.Now()) {
				t.Fatalf("report %d: %+v", i, s)
			}
			written += f.hookCalls() - before
		}
		if written < 10 || written > 200 {
			t.Errorf("%d of its reports were written", written)
		}
		if !atelier.HasCode(busy, atelier.CodeRateLimited) {
			t.Errorf("got %v, want that it calls too often", busy)
		}
		for range 6 { // a minute, in which it keeps its lease
			f.Advance(10 * time.Second)
			if _, err := worker.progress(j, 0.9); err != nil {
				t.Fatal(err)
			}
		}
		for _, call := range []func() error{
			func() error { return f.Fleet.Heartbeat(context.Background(), eve, worker.ID, apitype.Heartbeat{}) },
			func() error { return worker.Fail(&atelier.Job{ID: "none"}, atelier.FailError) },
			func() error { return worker.complete(&atelier.Job{ID: "none"}, "a0") },
			func() error { _, err := f.Fleet.ClaimJob(context.Background(), eve, worker.ID, 0); return err },
		} {
			n := 0
			for ; n < 2000 && !atelier.HasCode(call(), atelier.CodeRateLimited); n++ {
			}
			if n < 20 || n == 2000 {
				t.Errorf("it could call %d times", n)
			}
			f.Advance(10 * time.Second)
			if _, err := worker.progress(j, 0.9); err != nil { // it still has its job
				t.Error(err)
			}
			f.Advance(10 * time.Second)
		}
	})
}

// A worker that names a model many times offers it once, and one that changes its loaded
// models too often is asked to wait.
func TestModelsAreNamedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		wil := f.account("wil", 0)
		worker := f.connect(wil, slices.Repeat([]string{model, "another"}, 500)...)
		if err := f.Fleet.Heartbeat(t.Context(), wil, worker.ID, apitype.Heartbeat{Loaded: slices.Repeat([]string{model}, 1000)}); err != nil {
			t.Fatal(err)
		}
		d, err := f.Fleet.Demand(t.Context())
		if got := d.Models[model][atelier.NetworkFast]; err != nil || got.WorkersReady != 1 || got.WorkersLoaded != 1 {
			t.Errorf("the demand is %+v, %v, want one worker", got, err)
		}
		busy, n := error(nil), 0
		for ; n < 1000 && busy == nil; n++ {
			busy = f.Fleet.Heartbeat(t.Context(), wil, worker.ID, apitype.Heartbeat{Loaded: [][]string{{}, {model}}[n%2]})
		}
		if n < 10 || n > 200 || !atelier.HasCode(busy, atelier.CodeRateLimited) {
			t.Errorf("it changed what it has loaded %d times, then %v", n, busy)
		}
	})
}

// The number of connected workers of an account is limited. Workers that stopped
// calling do not count.
func TestSessionsAreBounded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		eve := f.account("eve", 0)
		connect := func() (atelier.Worker, error) {
			return f.Fleet.Connect(t.Context(), eve, apitype.WorkerSpec{Name: "worker", Network: atelier.NetworkFast, Models: []string{model}, Capacity: 1})
		}
		type outcome struct {
			w   atelier.Worker
			err error
		}
		all := make(chan outcome, 8)
		for range cap(all) { // at the same moment
			go func() { w, err := connect(); all <- outcome{w, err} }()
		}
		var open []atelier.Worker
		for range cap(all) {
			switch got := <-all; {
			case got.err == nil:
				open = append(open, got.w)
			case !atelier.HasCode(got.err, atelier.CodeRateLimited):
				t.Errorf("one too many: %v", got.err)
			}
		}
		if len(open) != 3 {
			t.Fatalf("%d are connected, want 3", len(open))
		}
		if err := f.Fleet.Disconnect(t.Context(), eve, open[0].ID); err != nil {
			t.Fatal(err)
		}
		if _, err := connect(); err != nil {
			t.Errorf("after one left: %v", err)
		}
		f.Advance(2 * lease)
		if _, err := connect(); err != nil {
			t.Errorf("after all stopped calling: %v", err)
		}
	})
}

// Only a few claims of one worker wait; the oldest are answered.
func TestFewClaimsWait(t *testing.T) {
	t.Parallel()
	f := newFrozenFixture(t, storetest.SQLite(t))
	wil := f.account("wil", 0)
	worker := f.connect(wil)
	wait, stop := context.WithCancel(t.Context())
	defer stop()
	const many = 40
	answered := make(chan error, many)
	for range many {
		go func() {
			_, err := f.Fleet.ClaimJob(wait, wil, worker.ID, time.Hour)
			answered <- err
		}()
	}
	const few = 4 // its capacity, and three that it may have abandoned
	for range many - few {
		select {
		case err := <-answered:
			if err != nil {
				t.Fatal(err)
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("%d claims wait, want %d", f.Fleet.Waiting(atelier.NetworkFast), few)
		}
	}
	if got := f.Fleet.Waiting(atelier.NetworkFast); got > few {
		t.Errorf("%d claims wait, want %d", got, few)
	}
}
