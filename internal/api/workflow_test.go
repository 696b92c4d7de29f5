package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

const (
	workflows = "/v1/creative-agent/workflows"
	aFox      = `{"input": {"steps": [{"id": "a", "toolName": "generate_image", "arguments": {"prompt": "a fox"}}]}}`
	nothing   = `{"input": {"steps": [{"id": "a", "toolName": "finalize_response", "arguments": {"outcome": "success"}}]}}`
)

// start starts a workflow with a key, and returns the status and the workflow.
func (c client) start(key, body string) (int, string) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), "POST", c.s.URL+workflows, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Error(err)
		return 0, ""
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	var reply struct {
		Data struct{ Workflow apitype.Workflow }
	}
	if err := json.Unmarshal(text, &reply); err != nil {
		c.t.Errorf("start: %v in %s", err, text)
	}
	return resp.StatusCode, reply.Data.Workflow.WorkflowID
}

// Of many starts with one key that arrive together, one starts and the others
// are answered with it.
func TestOneKeyStartsOnce(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		c, _ := artist(t, ateliertest.Start(t, o))
		var (
			mu       sync.Mutex
			statuses = map[int]int{}
			ids      = map[string]bool{}
			callers  sync.WaitGroup
		)
		for range 16 {
			callers.Go(func() {
				status, id := c.start("the key", aFox)
				mu.Lock()
				defer mu.Unlock()
				statuses[status]++
				ids[id] = true
			})
		}
		callers.Wait()
		if statuses[201] != 1 || statuses[200] != 15 || len(ids) != 1 {
			t.Errorf("got %v and %d workflows, want one 201, fifteen 200 and one workflow", statuses, len(ids))
		}
	})
}

// However many starts arrive together, no more than the cap are active, and
// those it refuses consume no allowance.
func TestTheCapHoldsUnderLoad(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		const limit, attempts = 3, 20
		c, _ := artist(t, ateliertest.Start(t, o, func(c *config.Config) {
			c.Limits.ActiveWorkflows, c.Limits.WorkflowStartsPerMinute = limit, attempts
		}))
		var (
			mu       sync.Mutex
			statuses = map[int]int{}
			callers  sync.WaitGroup
		)
		for range attempts {
			callers.Go(func() {
				status, _ := c.start("", aFox)
				mu.Lock()
				defer mu.Unlock()
				statuses[status]++
			})
		}
		callers.Wait()
		if statuses[201] != limit || statuses[409] != attempts-limit {
			t.Errorf("got %v, want %d times 201 and %d times 409", statuses, limit, attempts-limit)
		}
		for i := range attempts - limit { // the allowance is still there
			if status, _ := c.start("", nothing); status != 409 {
				t.Fatalf("start %d over the cap: got %d, want 409", i, status)
			}
		}
	})
}

// Without a limit a page has twenty, and never more than a hundred.
func TestPagesOfWorkflows(t *testing.T) {
	t.Parallel()
	const count = 104
	c, _ := artist(t, ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) { c.Limits.WorkflowStartsPerMinute = 2 * count }))
	for range count {
		if status, _ := c.start("", nothing); status != 201 {
			t.Fatalf("start: got %d, want 201", status)
		}
	}
	for _, tc := range []struct {
		query string
		want  int
		next  string
	}{
		{"", 20, "20"}, {"?limit=101", 100, "100"}, {"?limit=100&offset=100", 4, "null"}, {"?offset=84", 20, "null"}, {"?offset=83", 20, "103"},
	} {
		var page struct {
			Workflows []json.RawMessage
			Next      json.RawMessage
		}
		c.do("GET", workflows+tc.query, "", 200, &page)
		if len(page.Workflows) != tc.want || string(page.Next) != tc.next {
			t.Errorf("%q: got %d workflows and next %s, want %d and %s", tc.query, len(page.Workflows), page.Next, tc.want, tc.next)
		}
	}
	seen := map[string]bool{}
	for offset := 0; offset < count; offset += 30 {
		var page struct{ Workflows []apitype.Workflow }
		c.do("GET", fmt.Sprintf("%s?limit=30&offset=%d", workflows, offset), "", 200, &page)
		for _, w := range page.Workflows {
			seen[w.WorkflowID] = true
		}
	}
	if len(seen) != count {
		t.Errorf("the pages hold %d workflows, want %d", len(seen), count)
	}
}
