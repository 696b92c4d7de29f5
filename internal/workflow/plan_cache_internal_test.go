package workflow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
)

// The plans that are kept have a bound in memory, whatever they are made of: many
// small ones, a few long ones, or some that hold many values.
func TestShelfIsWeighed(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"small": `{"title":"x"}`, "long": `{"title":"` + strings.Repeat("x", 200<<10) + `"}`,
		"full": `{"template":{"inputs":{"x":[` + strings.Repeat("{},", 9999) + `{}]}}}`,
	} {
		var s planCache
		var most, all int64
		reads := 0
		for i := range 1000 {
			for range 2 { // the second time it is there
				if _, err := s.plan(atelier.WorkflowID(fmt.Sprint(i)), func() ([]byte, error) { reads++; return []byte(text), nil }); err != nil {
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
		if reads != 1000 || most > 2*cacheWeight {
			t.Errorf("%s: %d were read for 1000 plans, and up to %d bytes were kept", name, reads, most)
		}
		if name == "small" && len(s.recent)+len(s.before) != 1000 {
			t.Errorf("of 1000 small plans %d are kept", len(s.recent)+len(s.before))
		}
		if name != "small" && all < cacheWeight/2 {
			t.Errorf("%s: %d bytes are kept", name, all)
		}
	}
}
