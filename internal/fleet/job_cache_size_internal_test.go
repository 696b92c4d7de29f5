package fleet

import (
	"strconv"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// Jobs that ended on other nodes are never removed by id: the size of the cache is
// limited.
func TestTheNumberOfCachedJobsIsLimited(t *testing.T) {
	t.Parallel()
	var h jobCache
	if j, ok := h.remove("0"); ok {
		t.Errorf("an empty memory gave %+v", j)
	}
	job := func(i, attempt int) store.StoredJob {
		return store.StoredJob{Job: atelier.Job{ID: atelier.JobID(strconv.Itoa(i)), Attempt: attempt}}
	}
	for i := range 3 * mostJobs {
		h.put(job(i, 1))
		if len(h.jobs) > mostJobs {
			t.Fatalf("it holds %d, want at most %d", len(h.jobs), mostJobs)
		}
	}
	last := 3*mostJobs - 1
	h.put(job(last, 2)) // leased again
	if j, ok := h.remove(atelier.JobID(strconv.Itoa(last))); !ok || j.Attempt != 2 {
		t.Errorf("it gave %+v, %v, want the second attempt", j, ok)
	}
	if _, ok := h.remove(atelier.JobID(strconv.Itoa(last))); ok {
		t.Error("it gave a job twice")
	}
	if _, ok := h.remove("0"); ok {
		t.Error("it gave a job that it should have forgotten")
	}
}
