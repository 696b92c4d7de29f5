package fleet_test

import (
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// reportMachine sends a heartbeat that says how warm the GPU is.
func (w testWorker) reportMachine(celsius float64) {
	w.f.T.Helper()
	m := apitype.Machine{GPUs: []apitype.GPU{{Name: "card", TemperatureCelsius: &celsius}}, DiskFreeBytes: new(int64(7))}
	if err := w.Fleet().Heartbeat(w.f.T.Context(), w.Wallet, w.ID, apitype.Heartbeat{Machine: &m}); err != nil {
		w.f.T.Fatal(err)
	}
}

// celsius is how warm the database says that the GPU of a worker is; 0 without a report.
func (f *fixture) celsius(id atelier.WorkerID) float64 {
	f.T.Helper()
	var found map[atelier.WorkerID]store.MachineReport
	f.Read(func(tx *store.Tx) (err error) { found, err = tx.MachinesOf([]atelier.WorkerID{id}); return err })
	if m, ok := found[id]; ok {
		return *m.GPUs[0].TemperatureCelsius
	}
	return 0
}

// A report is written with the time that its worker was seen, at most once a lease, and the latest wins
// whichever node it came to. Each node samples those that came to it, until the worker leaves.
func TestMachine(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f, second := newPresenceFixture(t, o, time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
		w := f.connect(f.account("wil", 0))
		record := func(nodes ...*fleet.Engine) {
			t.Helper()
			for _, n := range nodes {
				if err := n.RecordPresence(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		want := func(when string, celsius float64) {
			t.Helper()
			if got := f.celsius(w.ID); got != celsius {
				t.Errorf("%s: the database has %v °C, want %v", when, got, celsius)
			}
		}
		f.Advance(time.Second)
		w.reportMachine(50)
		want("before a write", 0)
		record(f.Fleet)
		want("after the first write", 50)
		f.Advance(lease / 3)
		w.reportMachine(51)
		record(f.Fleet)
		want("within a lease", 50)
		f.Advance(lease * 2 / 3)
		w.reportMachine(52)
		f.Advance(time.Second)
		w.at(second).reportMachine(53)
		record(second, f.Fleet)
		want("with two nodes", 53)
		if at, other := f.Fleet.MachineSamples(f.Now()), second.MachineSamples(f.Now()); len(at) != 1 || len(other) != 1 || *at[0].GPUs[0].Temperature != 52 || !at[0].At.Equal(f.Now().Truncate(time.Minute)) {
			t.Errorf("samples: %+v and %+v", at, other)
		}
		f.Advance(5 * lease)
		if old := f.Fleet.MachineSamples(f.Now()); len(old) != 0 {
			t.Errorf("a report of long ago is sampled: %+v", old)
		}
		w.reportMachine(54)
		w.leave()
		if left := f.Fleet.MachineSamples(f.Now()); len(left) != 0 {
			t.Errorf("a worker that left is sampled: %+v", left)
		}
	})
}
