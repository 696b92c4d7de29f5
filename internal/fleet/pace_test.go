package fleet_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A worker that reports too often gets the status of its job, and is asked to wait in
// the end; not all of its reports are written.
func TestReportsAreBounded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o).freeze()
		ann, eve := y.account("ann", 900), y.account("eve", 0)
		h := y.connect(eve)
		y.mustSubmit(ann, "one")
		j := h.must()
		written, busy := 0, error(nil)
		for i := range 2000 {
			before := len(y.notes())
			s, err := h.progress(j, float64(i)/2000)
			if err != nil {
				busy = err
				break
			}
			if s.Cancel || !s.LeaseUntil.After(y.now()) {
				t.Fatalf("report %d: %+v", i, s)
			}
			written += len(y.notes()) - before
		}
		if written < 10 || written > 200 {
			t.Errorf("%d of its reports were written down", written)
		}
		if !atelier.HasCode(busy, atelier.CodeRateLimited) {
			t.Errorf("it was told %v, want that it calls too often", busy)
		}
		y.advance(time.Minute)
		for _, call := range []func() error{
			func() error { return y.e.Heartbeat(context.Background(), eve, h.id, nil) },
			func() error { return h.fail(&atelier.Job{ID: "none"}, atelier.FailError) },
			func() error { return h.complete(&atelier.Job{ID: "none"}, "a0") },
			func() error { _, err := y.e.ClaimJob(context.Background(), eve, h.id, 0); return err },
		} {
			n := 0
			for ; n < 2000 && !atelier.HasCode(call(), atelier.CodeRateLimited); n++ {
			}
			if n < 20 || n == 2000 {
				t.Errorf("it could call %d times", n)
			}
			y.advance(10 * time.Second)
			if _, err := h.progress(j, 0.9); err != nil { // it still has its job
				t.Error(err)
			}
			y.advance(10 * time.Second)
		}
	})
}

func (y *yard) notes() []string { y.mu.Lock(); defer y.mu.Unlock(); return slices.Clone(y.log) }

// A worker names each model once, and changes its mind now and then.
func TestModelsAreNamedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o).freeze()
		wil := y.account("wil", 0)
		h := y.connect(wil, slices.Repeat([]string{model, "another"}, 500)...)
		if err := y.e.Heartbeat(t.Context(), wil, h.id, slices.Repeat([]string{model}, 1000)); err != nil {
			t.Fatal(err)
		}
		d, err := y.e.Demand(t.Context())
		if got := d.Models[model][atelier.NetworkFast]; err != nil || got.WorkersReady != 1 || got.WorkersLoaded != 1 {
			t.Errorf("the demand is %+v, %v, want one worker", got, err)
		}
		busy, n := error(nil), 0
		for ; n < 1000 && busy == nil; n++ {
			busy = y.e.Heartbeat(t.Context(), wil, h.id, [][]string{{}, {model}}[n%2])
		}
		if n < 10 || n > 200 || !atelier.HasCode(busy, atelier.CodeRateLimited) {
			t.Errorf("it changed what it has loaded %d times, then %v", n, busy)
		}
	})
}

// An account has so many workers at once. Those that fell silent do not count.
func TestSessionsAreBounded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o).freeze()
		eve := y.account("eve", 0)
		connect := func() (atelier.Worker, error) {
			return y.e.Connect(t.Context(), eve, fleet.NewWorker{Name: "hand", Network: atelier.NetworkFast, Models: []string{model}, Capacity: 1})
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
		if err := y.e.Disconnect(t.Context(), eve, open[0].ID); err != nil {
			t.Fatal(err)
		}
		if _, err := connect(); err != nil {
			t.Errorf("after one left: %v", err)
		}
		y.advance(2 * lease)
		if _, err := connect(); err != nil {
			t.Errorf("after all fell silent: %v", err)
		}
	})
}

// Of many claims of one worker few wait; the oldest are answered.
func TestFewClaimsWait(t *testing.T) {
	t.Parallel()
	y := newYard(t, storetest.SQLite(t)).freeze()
	wil := y.account("wil", 0)
	h := y.connect(wil)
	wait, stop := context.WithCancel(t.Context())
	defer stop()
	const many = 40
	answered := make(chan error, many)
	for range many {
		go func() {
			_, err := y.e.ClaimJob(wait, wil, h.id, time.Hour)
			answered <- err
		}()
	}
	const few = 4 // its capacity, and three that it may have left
	for range many - few {
		select {
		case err := <-answered:
			if err != nil {
				t.Fatal(err)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%d claims wait, want %d", y.e.Waiting(atelier.NetworkFast), few)
		}
	}
	if got := y.e.Waiting(atelier.NetworkFast); got > few {
		t.Errorf("%d claims wait, want %d", got, few)
	}
}
