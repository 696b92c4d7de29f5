package operator_test

import (
	"slices"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// The history of a worker has what it has reported before it connected again, and nothing of another
// that has its name now. A week of it is left of most minutes only a quarter of an hour each.
func TestWorkerHistory(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		in := open(t, o)
		owner, err := in.CreateAccount(t.Context(), apitype.NewAccount{Username: "wil", Worker: true})
		if err != nil {
			t.Fatal(err)
		}
		wallet := owner.Account.WalletAddress
		connect := func(name string) atelier.Worker {
			t.Helper()
			w, err := in.fleet.Connect(t.Context(), wallet, apitype.WorkerSpec{Name: name, Network: "fast", Models: []string{"m"}, Capacity: 1})
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
		report := func(w atelier.Worker, celsius float64, free int64) {
			t.Helper()
			m := apitype.Machine{DiskFreeBytes: &free, GPUs: []apitype.GPU{{TemperatureCelsius: &celsius, PowerWatts: new(2 * celsius)}}}
			if err := in.fleet.Heartbeat(t.Context(), wallet, w.ID, apitype.Heartbeat{Machine: &m}); err != nil {
				t.Fatal(err)
			}
			if err := in.engine.Sample(t.Context()); err != nil {
				t.Fatal(err)
			}
			in.now = in.now.Add(time.Minute)
		}
		type seen struct {
			celsius, watts float64
			free           int64
		}
		history := func(w atelier.Worker, window apitype.HistoryWindow) (all []seen) {
			t.Helper()
			h, err := in.WorkerHistory(t.Context(), w.ID, window)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range h.Points {
				if len(p.GPUs) > 0 {
					all = append(all, seen{*p.GPUs[0].TemperatureCelsius, *p.GPUs[0].PowerWatts, *p.DiskFreeBytes})
				}
			}
			return all
		}
		first := connect("studio")
		report(first, 50, 100)
		report(first, 60, 90)
		if err := in.fleet.Disconnect(t.Context(), wallet, first.ID); err != nil {
			t.Fatal(err)
		}
		again, twin, other := connect("studio"), connect("studio"), connect("other")
		report(again, 70, 80)
		report(twin, 90, 10)
		report(other, 30, 5)
		if got, want := history(again, apitype.HistoryHour)[:3], []seen{{50, 100, 100}, {60, 120, 90}, {70, 140, 80}}; !slices.Equal(got, want) {
			t.Errorf("the hour: got %v, want %v", got, want)
		}
		if got := history(twin, apitype.HistoryHour); slices.Contains(got, seen{70, 140, 80}) || !slices.Contains(got, seen{90, 180, 10}) {
			t.Errorf("the hour of its twin: got %v", got)
		}
		if got := history(again, apitype.HistoryDay); len(got) != 1 || got[0].celsius != 70 || got[0].free != 80 || got[0].watts <= 100 || got[0].watts > 140 {
			t.Errorf("the day: got %v, want the warmest, the fullest and the mean power", got)
		}
		sweep := func(when string, want int) {
			t.Helper()
			if _, err := in.engine.Sweep(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
			kept := 0
			err := in.db.Read(t.Context(), func(tx *store.Tx) error {
				kept = 0
				return tx.WorkerSamples(again, time.Time{}, func(store.WorkerSample) { kept++ })
			})
			if err != nil || kept != want {
				t.Errorf("%s: %d samples are kept (%v), want %d", when, kept, err, want)
			}
		}
		before := len(history(again, apitype.HistoryHour))
		sweep("at once", before)
		in.now = in.now.Add(26 * time.Hour)
		sweep("after a day", 1) // that of noon
		if got := history(again, apitype.HistoryWeek); len(got) != 1 || got[0] != (seen{50, 100, 100}) {
			t.Errorf("the week: got %v", got)
		}
		in.now = in.now.Add(8 * 24 * time.Hour)
		sweep("after some days", 0)
	})
}

// A worker is connected as long as the fleet keeps it, which the lease decides.
func TestSilentWorker(t *testing.T) {
	t.Parallel()
	in := open(t, storetest.SQLite(t))
	owner, err := in.CreateAccount(t.Context(), apitype.NewAccount{Username: "wil", Worker: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []atelier.Network{atelier.NetworkFast, atelier.NetworkNode} {
		if _, err := in.fleet.Connect(t.Context(), owner.Account.WalletAddress, apitype.WorkerSpec{Name: string(n), Network: n, Models: []string{"m"}, Capacity: 1}); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		later     time.Duration
		connected int
	}{{150 * time.Second, 1}, {11 * time.Second, 0}} {
		in.now = in.now.Add(tc.later)
		list, err := in.Workers(t.Context(), apitype.Page{})
		if err != nil || len(list.Workers) != 2*tc.connected {
			t.Errorf("%s later: %d workers are listed (%v), want %d", tc.later, len(list.Workers), err, 2*tc.connected)
		}
		h, err := in.Health(t.Context())
		if err != nil || h.Networks[0].Workers != int64(tc.connected) || len(h.Nodes) != tc.connected {
			t.Errorf("%s later: %d workers and %d nodes are connected (%v), want %d of each", tc.later, h.Networks[0].Workers, len(h.Nodes), err, tc.connected)
		}
	}
}
