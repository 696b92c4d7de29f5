package node_test

import (
	"testing"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store"
)

// The history has what the nodes did, also those that are gone, and null where none ran.
func TestHistory(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		s := ateliertest.Start(t, o)
		olga := s.Account(t, account.NewAccount{Operator: true, Worker: true}, billing.Credits{Spark: 1000})
		w := s.Worker(t, olga)
		if _, err := s.Submit(t.Context(), smallPicture(olga.Account.Wallet)); err != nil {
			t.Fatal(err)
		}
		w.Complete(t, w.Claim(t), 1, nil)
		s.Stop() // which takes the last sample
		s.Clock.Advance(10 * time.Minute)
		s = ateliertest.Start(t, o)
		if err := s.Node.Operators.Sample(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Clock.Advance(time.Minute)
		for window, want := range map[apitype.HistoryWindow]struct{ points, step int }{
			apitype.HistoryHour: {60, 60}, apitype.HistoryDay: {96, 900}, apitype.HistoryWeek: {168, 3600},
		} {
			h, err := client.New(s.URL, olga.Key).Operator().History(t.Context(), window)
			if err != nil {
				t.Fatal(err)
			}
			if h.Window != window || len(h.Points) != want.points || h.StepSeconds != want.step {
				t.Errorf("%s: got %d points of %d seconds, want %v", window, len(h.Points), h.StepSeconds, want)
			}
			var sampled, ended, waited int
			var started, completed, failed int64
			for i, p := range h.Points {
				if i > 0 && p.At.Sub(h.Points[i-1].At) != time.Duration(want.step)*time.Second {
					t.Errorf("%s: a point at %v follows one at %v", window, p.At, h.Points[i-1].At)
				}
				if p.Started == nil {
					if p.Queued != nil || p.Nodes != nil || p.MemoryBytes != nil || p.FreeBytes != nil {
						t.Errorf("%s: a point without samples has numbers: %+v", window, p)
					}
					continue
				}
				sampled++
				started, completed, failed = started+*p.Started, completed+*p.Completed, failed+*p.Failed
				if p.WaitP50Seconds != nil && p.WaitP95Seconds != nil {
					waited++
				}
				if p.Nodes == nil { // the node has ended in it, and its workers were not connected any more
					if p.Queued != nil || p.Workers != nil {
						t.Errorf("%s: a point without nodes has %v in the queue and %v workers", window, p.Queued, p.Workers)
					}
					ended++
					continue
				}
				if *p.Nodes != 1 || *p.MemoryBytes <= 0 || *p.Queued != 0 {
					t.Errorf("%s: a point has %v nodes, %d bytes and %v in the queue", window, *p.Nodes, *p.MemoryBytes, *p.Queued)
				}
			}
			if sampled == 0 || sampled == len(h.Points) || (window == apitype.HistoryHour && ended != 1) || started != 1 || completed != 1 || failed != 0 || waited != 1 {
				t.Errorf("%s: %d points have samples and %d waits; %d renders started, %d completed, %d failed", window, sampled, waited, started, completed, failed)
			}
		}
	})
}
