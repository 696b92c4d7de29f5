package fleet_test

import (
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

func TestWorkersConnectAndLeave(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann, wil, eve := f.account("ann", 900), f.account("wil", 0), f.account("eve", 0)
		worker := f.connect(wil)
		j := worker.leased(ann, "one")
		if _, err := f.Fleet.ClaimJob(t.Context(), eve, worker.ID, 0); !atelier.HasCode(err, atelier.CodeNotFound) {
			t.Errorf("another account's worker: %v", err)
		}
		if err := f.Fleet.Disconnect(t.Context(), wil, worker.ID); err != nil {
			t.Fatal(err)
		}
		if got := f.job(j.ID); got.State != atelier.JobQueued || got.Attempt != 2 {
			t.Errorf("the job of a worker that left: %+v", got.Job)
		}
		if _, err := f.Fleet.ClaimJob(t.Context(), wil, worker.ID, 0); !atelier.HasCode(err, atelier.CodeNotFound) {
			t.Errorf("a closed session: %v", err)
		}
		d, err := f.Fleet.Demand(t.Context())
		if m := d.Models[model][atelier.NetworkFast]; err != nil || m.WorkersReady != 0 || m.JobsWaitingForWorker != 1 || m.JobsQueued != 1 {
			t.Errorf("demand without workers: %+v, %v", m, err)
		}
	})
}

// A worker whose account is suspended while its claim waits gets no job; another
// worker gets it.
func TestSuspendedWorkersGetNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		ann, wil, wanda := f.account("ann", 100), f.account("wil", 0), f.account("wanda", 0)
		suspended, active := f.connect(wil), f.connect(wanda)
		err := f.DB.Write(t.Context(), func(tx *store.Tx) error { _, err := tx.SuspendAccount(wil, f.Now()); return err })
		if err != nil {
			t.Fatal(err)
		}
		f.mustSubmit(ann, "a")
		if j := suspended.Claim(0); j != nil {
			t.Errorf("it got %s", j.Owner.Part)
		}
		if j := active.MustClaim(); j.Owner.Part != "a" {
			t.Errorf("the other got %s", j.Owner.Part)
		}
	})
}
