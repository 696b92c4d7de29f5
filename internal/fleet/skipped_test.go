package fleet_test

import (
	"context"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A job that another transaction has locked when a claim looks for one, and leaves in the queue, goes to that claim
// soon.
func TestAClaimGetsAJobThatWasLocked(t *testing.T) {
	t.Parallel()
	o := storetest.Postgres(t)
	writes := make(chan struct{}, 1)
	o.Observe = func(operation string, _ time.Duration) {
		if operation == "write" {
			select {
			case writes <- struct{}{}:
			default:
			}
		}
	}
	f := newFrozenFixture(t, o)
	ann, wil := f.account("ann", 900), f.account("wil", 0)
	worker := f.connect(wil)
	f.mustSubmit(ann, "one")
	locked, leave, left := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		left <- f.DB.Write(context.Background(), func(tx *store.Tx) error {
			wanted := store.Wanted{Network: atelier.NetworkFast, Models: []string{model}, Now: f.Now()}
			if jobs, err := tx.Candidates(wanted, 8); err != nil || len(jobs) != 1 {
				t.Errorf("another node finds %v, %v", jobs, err)
			}
			close(locked)
			<-leave
			return nil
		})
	}()
	<-locked
	select {
	case <-writes:
	default:
	}
	got := make(chan *atelier.Job)
	go func() {
		j, err := f.Fleet.ClaimJob(context.Background(), wil, worker.ID, 10*time.Second)
		if err != nil {
			t.Error(err)
		}
		got <- j
	}()
	<-writes // of the match
	close(leave)
	if err := <-left; err != nil {
		t.Error(err)
	}
	if j := <-got; j == nil || j.Owner.Part != "one" {
		t.Errorf("got %+v, want the job", j)
	}
}
