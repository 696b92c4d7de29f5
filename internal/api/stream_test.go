package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/nats-io/nats-server/v2/server"
)

// patience is how long anything awaited may take: far longer than it does.
const patience = 2 * time.Minute

// artist is a client with money, and a worker beside it.
func artist(t *testing.T, s *ateliertest.Service) (client, *ateliertest.Worker) {
	t.Helper()
	ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
	wil := s.Account(t, account.NewAccount{Worker: true}, billing.Credits{})
	return client{t, s, ann.Key}, s.Worker(t, wil)
}

// begin starts a workflow of one picture.
func (c client) begin(prompt string) string {
	c.t.Helper()
	var started struct{ Workflow struct{ WorkflowID string } }
	c.do("POST", workflows, fmt.Sprintf(`{"input": {"steps": [{"id": "a", "toolName": "generate_image", "arguments": {"prompt": %q}}]}}`, prompt), 201, &started)
	return started.Workflow.WorkflowID
}

// stream opens the stream of a workflow on a service.
func (c client) stream(s *ateliertest.Service, id, after string) *ateliertest.Stream {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), "GET", s.URL+workflows+"/"+id+"/events/stream", nil)
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	if after != "" {
		req.Header.Set("Last-Event-ID", after)
	}
	return ateliertest.OpenStream(c.t, req)
}

// until reads a stream up to a frame of an event, and returns the last id.
func until(t *testing.T, s *ateliertest.Stream, event string) (last string) {
	t.Helper()
	for {
		f, err := s.NextEvent()
		if err != nil {
			t.Fatalf("wait for %s: %v", event, err)
		}
		if f.ID != "" {
			last = f.ID
		}
		if f.Event == event {
			return last
		}
	}
}

// rest reads a stream to its end, one line a frame. URLs are signed for each
// reader, so what they were signed with is left out.
func rest(t *testing.T, s *ateliertest.Stream) string {
	t.Helper()
	var b strings.Builder
	for {
		f, err := s.NextEvent()
		if err == io.EOF {
			return b.String()
		}
		if err != nil {
			t.Errorf("read on: %v", err)
			return b.String()
		}
		fmt.Fprintln(&b, f.ID, f.Event, unsigned(t, f.Data))
	}
}

func unsigned(t *testing.T, data string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(data), &v); err != nil {
		t.Errorf("a frame is not JSON: %v in %s", err, data)
	}
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if url, ok := v["url"].(string); ok {
				v["url"], _, _ = strings.Cut(url, "?")
			}
			for _, member := range v {
				strip(member)
			}
		case []any:
			for _, item := range v {
				strip(item)
			}
		}
	}
	strip(v)
	text, _ := json.Marshal(v) // it was JSON a moment ago
	return string(text)
}

func TestManyReadersReadTheSame(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		s := ateliertest.Start(t, o)
		c, worker := artist(t, s)
		id := c.begin("a fox")
		streams := make([]*ateliertest.Stream, 50)
		for i := range streams {
			streams[i] = c.stream(s, id, "")
			until(t, streams[i], "workflow_status")
		}
		worker.Complete(t, worker.Claim(t), 1, nil)
		logs := make([]string, len(streams))
		var readers sync.WaitGroup
		for i := range streams {
			readers.Go(func() { logs[i] = rest(t, streams[i]) })
		}
		readers.Wait()
		if n := strings.Count(logs[0], "\n"); n != 6 { // four events and two statuses
			t.Errorf("got %d frames, want 6:\n%s", n, logs[0])
		}
		for i, log := range logs {
			if log != logs[0] {
				t.Errorf("reader %d got\n%s\nreader 0 got\n%s", i, log, logs[0])
			}
		}
	})
}

// A service that drains ends its streams at once; their readers go on from
// where they were when it is back.
func TestStreamsEndWhenTheServiceDrains(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		s := ateliertest.Start(t, o, func(c *config.Config) { c.ShutdownGrace = time.Hour }) // a drain that waits for the stream does not end
		c, worker := artist(t, s)
		id := c.begin("a fox")
		stream := c.stream(s, id, "")
		worker.Claim(t)
		until(t, stream, "step_started")
		worker.Leave(t)
		until(t, stream, "custom")                    // it will be tried again
		last := until(t, stream, "workflow_progress") // and waits for a worker
		s.Stop()
		if text := rest(t, stream); text != "" {
			t.Errorf("after the drain came %s", text)
		}

		s = ateliertest.Start(t, o)
		c.s = s
		again := c.stream(s, id, last)
		until(t, again, "workflow_status")
		worker = s.Worker(t, s.Account(t, account.NewAccount{Worker: true}, billing.Credits{}))
		worker.Complete(t, worker.Claim(t), 1, nil)
		f, err := again.NextEvent()
		want := "4"
		if err == nil && f.ID == want && f.Event == "workflow_progress" { // a worker has connected, and did not claim yet
			f, err = again.NextEvent()
			want = "5"
		}
		if err != nil || f.ID != want || f.Event != "step_started" {
			t.Errorf("after %s: got %+v, %v, want the event %s", last, f, err, want)
		}
		if text := rest(t, again); !strings.HasSuffix(text, `"status":"completed","workflowId":"`+id+"\"}\n") {
			t.Errorf("the stream did not end with the workflow: %s", text)
		}
	})
}

// Where there are many nodes, a reader of one that drains continues at another,
// while the workflow runs.
func TestStreamsGoOnElsewhere(t *testing.T) {
	t.Parallel()
	o := storetest.Postgres(t)
	nats, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	nats.Start()
	t.Cleanup(func() { nats.Shutdown(); nats.WaitForShutdown() })
	if !nats.ReadyForConnections(patience) {
		t.Fatal("nats-server does not take connections")
	}
	join := func() *ateliertest.Service {
		dir := t.TempDir()
		return ateliertest.Start(t, o, func(c *config.Config) {
			c.NATSURL, c.SessionSecret, c.DataDir = nats.ClientURL(), "the secret of the nodes", dir
		})
	}
	first, second := join(), join()
	c, worker := artist(t, second)
	id := c.begin("a fox")
	stream := c.stream(first, id, "")
	until(t, stream, "workflow_status")
	job := worker.Claim(t)
	last := until(t, stream, "step_started") // told by one node, read at the other
	first.Stop()
	rest(t, stream)

	again := c.stream(second, id, last)
	until(t, again, "workflow_status")
	worker.Complete(t, job, 1, nil)
	if text := rest(t, again); !strings.HasPrefix(text, "2 artifact_created ") || !strings.Contains(text, `"status":"completed"`) {
		t.Errorf("after %s: got %s", last, text)
	}
}
