//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// receiver is a server that webhooks are sent to. It remembers the events by the workflows that they are about.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	status int                 // that it answers with; 0 hangs
	events map[string][]string // by workflow, in the order of their first arrival
	ids    map[string]string   // of events
	news   chan struct{}
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{status: http.StatusServiceUnavailable, events: map[string][]string{}, ids: map[string]string{}, news: make(chan struct{}, 1)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		var payload struct {
			Type string
			Data struct{ WorkflowID string }
		}
		if err := json.Unmarshal(body, &payload); err != nil {
			t.Error(err)
		}
		r.mu.Lock()
		status, subject := r.status, payload.Data.WorkflowID
		name := subject + " " + payload.Type
		if before, ok := r.ids[name]; ok && before != q.Header.Get("webhook-id") {
			t.Errorf("%s has the ids %s and %s", name, before, q.Header.Get("webhook-id"))
		}
		r.ids[name] = q.Header.Get("webhook-id")
		if status == http.StatusOK && !slices.Contains(r.events[subject], payload.Type) {
			r.events[subject] = append(r.events[subject], payload.Type)
		}
		r.mu.Unlock()
		select {
		case r.news <- struct{}{}:
		default:
		}
		if status == 0 {
			<-q.Context().Done()
			return
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// await waits for the next request.
func (r *receiver) await(t *testing.T) {
	t.Helper()
	select {
	case <-r.news:
	case <-time.After(patience):
		t.Fatal("no event came")
	}
}

// A receiver fails and hangs while the service is killed, and comes back: it gets every event at least once, those
// of each workflow in order.
func TestWebhooksSurviveSIGKILL(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a lease has to end")
	}
	r := newReceiver(t)
	data := filepath.Join(t.TempDir(), "data")
	env := []string{"ATELIER_ALLOW_PRIVATE_MEDIA=true", "ATELIER_WORKERS_LEASE=3s", "ATELIER_WORKERS_EMBEDDED=false"}
	p := start(t, env, "--data", data)
	var webhook struct{ Webhook struct{ ID string } }
	call(t, p.URL+"/v1/webhooks", p.Key, fmt.Sprintf(`{"url": %q, "events": ["workflow.waiting", "workflow.cancelled"]}`, r.URL), &webhook)
	key, want := p.Key, map[string][]string{}
	begin := func() {
		var started struct{ Workflow struct{ WorkflowID string } }
		call(t, p.URL+"/v1/creative-agent/workflows", key,
			`{"input": {"steps": [{"id": "a", "toolName": "generate_image", "arguments": {"prompt": "a nude woman"}}]}}`, &started)
		id := started.Workflow.WorkflowID
		call(t, p.URL+"/v1/creative-agent/workflows/"+id+"/cancel", key, "", nil)
		want[id] = []string{"workflow.waiting", "workflow.cancelled"}
	}
	begin()
	r.await(t)
	r.answer(0)
	begin()
	r.await(t) // it hangs now
	p.kill()
	p = start(t, env, "--data", data)
	begin()
	r.await(t)
	p.kill()
	r.answer(http.StatusOK)
	p = start(t, env, "--data", data)
	for deadline := time.After(patience); ; {
		r.mu.Lock()
		missing := 0
		for id, events := range want {
			if got := r.events[id]; len(got) < len(events) {
				missing++
			} else if !slices.Equal(got, events) {
				t.Errorf("%s: got %q, want %q", id, got, events)
			}
		}
		r.mu.Unlock()
		if missing == 0 {
			return
		}
		select {
		case <-r.news:
		case <-time.After(time.Second):
		case <-deadline:
			t.Fatalf("%d workflows lack events; got %q\n%s", missing, r.events, &p.stderr)
		}
	}
}

// call sends a request and reads the data of its answer, which must succeed.
func call(t *testing.T, address, key, body string, data any) {
	t.Helper()
	status, text, err := post(address, key, body)
	if err != nil || status >= 300 {
		t.Fatalf("%s: %d %s, %v", address, status, text, err)
	}
	if data != nil {
		decodeData(t, text, data)
	}
}

func decodeData(t *testing.T, text string, data any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &struct{ Data any }{data}); err != nil {
		t.Fatal(err)
	}
}
