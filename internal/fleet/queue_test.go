package fleet_test

import (
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// The queue that metrics show is what workers have to do, and it is counted again after two seconds.
func TestQueueOfTheMetrics(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, worker := f.account("ann", 900), f.connect(f.account("wil", 0))
		limited := func(s *fleet.Submission) { s.Spec.ConcurrencyClass, s.Spec.ConcurrencyLimit = "h3", 1 }
		want := func(when string, waiting, running int) {
			t.Helper()
			if w, r := f.Fleet.CountQueue(); w != waiting || r != running {
				t.Errorf("%s: %d waiting and %d running, want %d and %d", when, w, r, waiting, running)
			}
		}
		want("without jobs", 0, 0)
		f.mustSubmit(ann, "first", limited)
		f.mustSubmit(ann, "second", limited)
		want("at once", 0, 0)
		f.Advance(2 * time.Second)
		want("two queued jobs", 2, 0)
		j := worker.MustClaim()
		f.Advance(2 * time.Second)
		want("one that the limit of its account holds back", 0, 1)
		worker.finish(j)
		f.Advance(2 * time.Second)
		want("one completed", 1, 0)
	})
}
