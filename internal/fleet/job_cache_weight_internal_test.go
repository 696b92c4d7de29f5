package fleet

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// The cached jobs have a limit in memory: jobs with large arguments are not cached.
func TestLargeJobsAreNotCached(t *testing.T) {
	t.Parallel()
	many := make([]any, 1000)
	for i := range many {
		many[i] = map[string]any{}
	}
	for name, tc := range map[string]struct {
		arguments map[string]any
		kept      bool
	}{
		"a prompt":         {map[string]any{"prompt": strings.Repeat("x", 8<<10), "seed": 1.0}, true},
		"a long prompt":    {map[string]any{"prompt": strings.Repeat("x", 16<<10)}, false},
		"a long name":      {map[string]any{strings.Repeat("x", 16<<10): true}, false},
		"many values":      {map[string]any{"scenes": many}, false},
		"nested text":      {map[string]any{"scenes": []any{map[string]any{"text": strings.Repeat("x", 16<<10)}}}, false},
		"nothing at all":   {nil, true},
		"some small steps": {map[string]any{"scenes": many[:100]}, true},
	} {
		var m jobCache
		m.put(store.StoredJob{Job: atelier.Job{ID: "j", Spec: atelier.JobSpec{Arguments: tc.arguments}}})
		if _, kept := m.get("j"); kept != tc.kept {
			t.Errorf("%s: kept is %v, want %v", name, kept, tc.kept)
		}
	}
	var m jobCache
	for i := range 3 * mostJobs {
		m.put(store.StoredJob{Job: atelier.Job{ID: atelier.JobID(fmt.Sprint(i))}})
		if len(m.jobs) > mostJobs {
			t.Fatalf("%d jobs are cached", len(m.jobs))
		}
	}
}
