package workflow_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

// wantApps holds how many renders were paid for each application against what
// is expected.
func (f *fixture) wantApps(want map[string]int64) {
	f.T.Helper()
	sums, err := f.Billing.Usage(f.T.Context(), ann, time.Time{})
	if err != nil {
		f.T.Fatal(err)
	}
	got := map[string]int64{}
	for _, s := range sums {
		got[s.App] += s.Charges
	}
	if !reflect.DeepEqual(got, want) {
		f.T.Errorf("renders were paid for %v, want %v", got, want)
	}
}

// A step is paid for the application that asked when it was dispatched, also
// when its worker dropped it and it was tried again.
func TestAppsPayForWhatTheyAsked(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		first, second, third := "first", "second", "third"
		q := plan(fox, upscale("b", "a", true))
		q.Terms.App = first
		w := f.begin(q)
		f.worker.MustFail(f.must("step/0"), atelier.FailDropped)
		again := f.must("step/0")
		if _, err := f.e.Resume(t.Context(), ann, atelier.WorkflowID(w.WorkflowID), workflow.ResumeRequest{AppSource: &second}); err != nil {
			t.Fatal(err)
		}
		if err := f.complete(again); err != nil {
			t.Fatal(err)
		}
		f.wantApps(map[string]int64{first: 1})
		f.done("step/1")
		f.wantApps(map[string]int64{first: 1, second: 1})
		if got := f.get(w.WorkflowID).AppSource; got != second {
			t.Errorf("the workflow is shown as of %q, want %q", got, second)
		}

		for _, app := range []*string{nil, &third} { // the source's, or another
			if _, err := f.reseed(workflow.ReseedRequest{Source: atelier.WorkflowID(w.WorkflowID), AppSource: app}); err != nil {
				t.Fatal(err)
			}
			f.done("step/0")
			f.done("step/1")
		}
		f.wantApps(map[string]int64{first: 1, second: 3, third: 2})
		f.Audit()
	})
}
