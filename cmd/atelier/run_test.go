//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A node is killed while it works on many chat runs. The other one brings all of them to
// an end: none is lost, no call is dispatched twice, nothing is paid twice, and no log
// has a gap or a repeat.
func TestRunsOutliveAKilledNode(t *testing.T) {
	t.Parallel()
	database := storetest.Postgres(t)
	nats, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	go nats.Start()
	t.Cleanup(nats.Shutdown)
	if !nats.ReadyForConnections(patience) {
		t.Fatal("nats-server does not take connections")
	}
	data := filepath.Join(t.TempDir(), "data")
	env := []string{
		"ATELIER_DATABASE_URL=" + database.URL, "ATELIER_NATS_URL=" + nats.ClientURL(), "ATELIER_SESSION_SECRET=0123456789abcdef",
		"ATELIER_LIMITS_CHAT_RUN_STARTS_PER_MINUTE=1000", "ATELIER_LIMITS_ACTIVE_WORKFLOWS=100",
	}
	settings := filepath.Join(t.TempDir(), "atelier.yaml")
	if err := os.WriteFile(settings, []byte("database_url: "+database.URL+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	doomed := start(t, env, "--data", data)
	heir := start(t, env, "--data", data)
	if code := run([]string{"account", "create", "--wallet", "0xann", "--spark", "1000", "--json", "--data", data, "--config", settings}, &out, &errs); code != 0 {
		t.Fatalf("account create: %s", &errs)
	}
	var ann struct{ APIKey string }
	if err := json.Unmarshal([]byte(out.String()), &ann); err != nil {
		t.Fatal(err)
	}
	const many = 24
	var ids []string
	for i := range many {
		node := []*process{doomed, heir}[i%2]
		status, answer, err := post(node.URL+"/v1/chat/runs", ann.APIKey, `{"messages": [{"role": "user", "content": "Make a picture of a red fox, 256 by 256 pixels"}]}`)
		if err != nil || status != http.StatusAccepted {
			t.Fatalf("start %d: %d %s %v", i, status, answer, err)
		}
		var started struct{ Data struct{ Run apitype.Run } }
		if err := json.Unmarshal([]byte(answer), &started); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, string(started.Data.Run.RunID))
	}
	doomed.kill()
	var wg sync.WaitGroup
	for _, id := range ids {
		wg.Go(func() { heir.followRun(t, id, ann.APIKey) })
	}
	wg.Wait()
	workflows := map[string]bool{}
	for _, id := range ids {
		var read struct{ Data struct{ Run apitype.Run } }
		if err := json.Unmarshal([]byte(heir.wants(t, "/v1/chat/runs/"+id, ann.APIKey, http.StatusOK)), &read); err != nil {
			t.Fatal(err)
		}
		r := read.Data.Run
		if r.Status != "completed" || len(r.Artifacts) != 1 || len(r.ChildWorkflowIDs) != 1 {
			t.Errorf("%s is %s (%s) with %d artifacts of %v", id, r.Status, r.FailureReason, len(r.Artifacts), r.ChildWorkflowIDs)
		}
		dispatched := 0
		for i, ev := range r.Events {
			if ev.Sequence != int64(i) {
				t.Errorf("the log of %s has %d at %d", id, ev.Sequence, i)
			}
			if ev.Type == "tool_call_dispatched" {
				dispatched++
			}
		}
		if dispatched != 1 {
			t.Errorf("%s has dispatched %d calls", id, dispatched)
		}
		for _, w := range r.ChildWorkflowIDs {
			if workflows[w] {
				t.Errorf("two runs have the workflow %s", w)
			}
			workflows[w] = true
		}
	}
	var list struct{ Data struct{ Workflows []any } }
	if err := json.Unmarshal([]byte(heir.wants(t, "/v1/creative-agent/workflows?limit=100", ann.APIKey, http.StatusOK)), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Data.Workflows) != many {
		t.Errorf("%d runs have started %d workflows", many, len(list.Data.Workflows))
	}
	out.Reset()
	if code := run([]string{"ledger", "verify", "--data", data, "--config", settings}, &out, &errs); code != 0 {
		t.Errorf("ledger verify: %s%s", &out, &errs)
	}
}

// followRun reads the stream of a run to its end. Its events come once and in order.
func (p *process) followRun(t *testing.T, id, key string) {
	req, err := http.NewRequest(http.MethodGet, p.URL+"/v1/chat/runs/"+id+"/events/stream", nil)
	if err != nil {
		t.Error(err)
		return
	}
	req.Header.Set("Authorization", "Bearer "+key)
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return
	}
	defer answer.Body.Close()
	next := 0
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if at, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			if at != fmt.Sprint(next) {
				t.Errorf("the stream of %s has %s after %d", id, at, next-1)
			}
			next++
		}
	}
	if err := lines.Err(); err != nil {
		t.Errorf("the stream of %s: %v", id, err)
	}
}
