package client_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelier-project/atelier/client"
)

func event(n int, kind string) string {
	return fmt.Sprintf("id: %d\nevent: %s\ndata: {\"sequence\":%d,\"type\":%q,\"payload\":{}}\n\n", n, kind, n, kind)
}

const status = "event: workflow_status\ndata: {\"workflowId\":\"w\",\"status\":%q}\n\n"

// service answers each connection to the stream with the next of its scripts, and
// records after which event the client wants to continue.
func service(t *testing.T, scripts ...string) (*client.Client, *[]string) {
	t.Helper()
	var (
		n    atomic.Int64
		from []string
	)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from = append(from, r.Header.Get("Last-Event-ID"))
		script := scripts[min(int(n.Add(1)), len(scripts))-1]
		if code, rest, ok := strings.Cut(script, "!"); ok {
			w.Header().Set("Retry-After", rest)
			http.Error(w, `{"status":"error","errorCode":1,"message":"no"}`, map[string]int{"429": 429, "503": 503, "404": 404}[code])
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, script)
	}))
	t.Cleanup(s.Close)
	return client.New(s.URL, "key"), &from
}

func readEvents(t *testing.T, c *client.Client, after int64) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var out []string
	for n, err := range c.Follow(ctx, "w", after) {
		switch {
		case err != nil:
			return strings.Join(out, " "), err
		case n.Event != nil:
			out = append(out, fmt.Sprintf("%d", n.Event.Sequence))
		default:
			out = append(out, string(n.Status.Status))
		}
	}
	return strings.Join(out, " "), nil
}

// A broken stream is continued after the last event; every event comes once.
func TestFollowReconnects(t *testing.T) {
	t.Parallel()
	c, from := service(t,
		event(0, "workflow_started")+fmt.Sprintf(status, "running")+event(1, "step_started"),
		"503!0",
		": heartbeat\n\n"+event(1, "step_started")+event(2, "something_new")+"event: error\ndata: {}\n\n",
		event(3, "workflow_completed")+fmt.Sprintf(status, "completed")+event(4, "never"),
	)
	got, err := readEvents(t, c, -1)
	if want := "0 running 1 2 3 completed"; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if got, want := fmt.Sprint(*from), "[ 1 1 2]"; got != want {
		t.Errorf("it continued after %s, want %s", got, want)
	}
}

func TestFollowGivesUp(t *testing.T) {
	t.Parallel()
	c, _ := service(t, "404!0")
	if _, err := readEvents(t, c, -1); !client.Is(err, http.StatusNotFound) {
		t.Errorf("got %v, want the 404", err)
	}
	c, from := service(t, "")
	c.Retries = 1
	if _, err := readEvents(t, c, -1); err == nil || len(*from) != 2 {
		t.Errorf("got %v after %d connections, want an error after 2", err, len(*from))
	}
}

func TestFollowStopsWithItsCaller(t *testing.T) {
	t.Parallel()
	c, _ := service(t, event(0, "workflow_started")+event(1, "step_started"))
	for n, err := range c.Follow(t.Context(), "w", -1) {
		if err != nil || n.Event.Sequence != 0 {
			t.Fatalf("got %+v, %v", n, err)
		}
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for n, err := range c.Follow(ctx, "w", 0) {
		if n.Event != nil {
			cancel()
		} else if err == nil {
			t.Errorf("got %+v", n)
		}
	}
}
