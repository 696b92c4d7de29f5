package api_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	service "github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A workflow that holds too much is refused before it is read as one, with its field.
func TestLargeGraphs(t *testing.T) {
	t.Parallel()
	s := ateliertest.Start(t, storetest.SQLite(t))
	op := service.New(s.URL, s.Account(t, account.NewAccount{Operator: true}, billing.Credits{}).Key).Operator()
	repeat := func(n int, one func(i int) string) string {
		var parts []string
		for i := range n {
			parts = append(parts, one(i))
		}
		return strings.Join(parts, ", ")
	}
	node := func(i int) string { return fmt.Sprintf(`"%d": {"class_type": "A", "inputs": {}}`, i) }
	for name, tc := range map[string]struct {
		workflow string
		status   int
		says     string
	}{
		"100,000 nodes":       {"{" + repeat(100_000, node) + "}", 413, "larger than 2097152 bytes"},
		"30,000 small nodes":  {"{" + repeat(30_000, func(i int) string { return fmt.Sprintf(`"%d": {}`, i) }) + "}", 400, "workflow"},
		"3,000 nodes":         {"{" + repeat(3_000, node) + "}", 400, "at most 2000 can be read"},
		"deep nesting":        {`{"1": ` + strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000) + "}", 400, "nests deeper"},
		"a huge text":         {`{"1": {"class_type": "SaveImage", "inputs": {"x": "` + strings.Repeat("x", 1<<20) + `"}}}`, 400, "workflow"},
		"many values":         {`{"1": {"class_type": "SaveImage", "inputs": {"x": [` + repeat(60_000, func(int) string { return "1" }) + `]}}}`, 400, "workflow"},
		"links without end":   {`{"1": {"class_type": "A", "inputs": {` + repeat(10_001, func(i int) string { return fmt.Sprintf(`"x%d": ["2", 0]`, i) }) + `}}, "2": {"class_type": "A", "inputs": {}}}`, 400, "more than 10000 links"},
		"a text that is long": {`{"1": {"class_type": "SaveImage", "inputs": {"images": ["2", 0]}}, "2": {"class_type": "A", "inputs": {"x": "` + strings.Repeat("x", 1<<19) + `"}}}`, 0, ""},
	} {
		_, err := op.InspectGraph(t.Context(), service.GraphFile{Workflow: []byte(tc.workflow)})
		var refused *service.Error
		switch {
		case tc.status == 0 && err != nil:
			t.Errorf("%s: %v", name, err)
		case tc.status == 0:
		case !errors.As(err, &refused) || refused.Status != tc.status || !strings.Contains(refused.Message, tc.says):
			t.Errorf("%s: got %v, want %d with %q", name, err, tc.status, tc.says)
		}
	}
}
