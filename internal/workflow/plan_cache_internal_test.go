package workflow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
)

// The plans that are kept have a bound in memory, whatever they are made of: many
// small ones, a few long ones, or some that hold many values.
func TestPlanCacheIsBounded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		plans int // of large ones many times what is kept
	}{
		"small": {`{"title":"x"}`, 1000},
		"long":  {`{"title":"` + strings.Repeat("x", 200<<10) + `"}`, 1000},
		"full":  {`{"template":{"inputs":{"x":[` + strings.Repeat("{},", 9999) + `{}]}}}`, 100},
	} {
		var s planCache
		var most, all int64
		reads := 0
		for i := range c.plans {
			for range 2 { // the second time it is there
				if _, err := s.plan(atelier.WorkflowID(fmt.Sprint(i)), func() ([]byte, error) { reads++; return []byte(c.text), nil }); err != nil {
					t.Fatal(err)
				}
			}
			all = 0
			for _, kept := range []map[atelier.WorkflowID]cachedPlan{s.recent, s.before} {
				for _, p := range kept {
					all += p.weight
				}
			}
			most = max(most, all)
		}
		if reads != c.plans || most > 2*cacheWeight {
			t.Errorf("%s: %d were read for %d plans, and up to %d bytes were kept", name, reads, c.plans, most)
		}
		if name == "small" && len(s.recent)+len(s.before) != c.plans {
			t.Errorf("of %d small plans %d are kept", c.plans, len(s.recent)+len(s.before))
		}
		if name != "small" && all < cacheWeight/2 {
			t.Errorf("%s: %d bytes are kept", name, all)
		}
	}
}
