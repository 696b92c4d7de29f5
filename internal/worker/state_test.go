package worker_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/worker"
)

// monitored is a renderer whose state a test sets.
type monitored struct {
	renderFunc
	mu      sync.Mutex
	state   worker.State
	changed chan struct{}
}

func newMonitored(s worker.State) *monitored {
	return &monitored{renderFunc: paint, state: s, changed: make(chan struct{})}
}

func (m *monitored) State() (worker.State, <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state, m.changed
}

func (m *monitored) set(s worker.State) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state = s
	close(m.changed)
	m.changed = make(chan struct{})
}

// protocol is the service's half of the worker protocol. Each call comes out of calls,
// with its body.
type protocol struct {
	calls   chan call
	jobs    chan apitype.Assignment // what claims get
	knows   []string                // the models of its catalog, others are refused; any when nil
	refuses string                  // a member of bodies that it does not know
	beats   float64                 // seconds between heartbeats; 1200 when zero
	gone    chan struct{}           // has one when a claim has left
	log     io.Writer               // of the worker; none when nil
	replies chan apitype.HeartbeatReply
}

type call struct {
	path string
	body map[string]any
}

func (p *protocol) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, _ := io.ReadAll(r.Body)
	c := call{path: r.Method + " " + strings.TrimPrefix(r.URL.Path, "/v1/worker/sessions")}
	_ = json.Unmarshal(data, &c.body)
	select {
	case p.calls <- c:
	case <-r.Context().Done(): // nothing reads them any more
		return
	}
	reply := map[string]any{}
	switch {
	case p.knows != nil && slices.ContainsFunc(names(c.body), func(m string) bool { return !slices.Contains(p.knows, m) }):
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, `{"status": "error", "errorCode": 1, "message": "This model is not known."}`)
		return
	case p.refuses != "" && c.body[p.refuses] != nil:
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, `{"status": "error", "errorCode": 1, "message": "Unknown field."}`)
		return
	case c.path == "POST ":
		w.WriteHeader(http.StatusCreated)
		reply["worker"] = map[string]any{"workerId": "w1", "leaseSeconds": 3600, "heartbeatSeconds": cmp.Or(p.beats, 1200)}
	case c.path == "POST /w1/heartbeat" && p.replies != nil:
		reply := <-p.replies
		_ = json.NewEncoder(w).Encode(map[string]any{"status": "success", "data": reply})
		return
	case c.path == "POST /w1/claim":
		select {
		case j := <-p.jobs:
			reply["job"] = j
		case <-r.Context().Done():
			p.gone <- struct{}{}
			return
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"status": "success", "data": reply})
}

// next waits for a call whose path ends with the given text.
func (p *protocol) next(end string) map[string]any {
	for c := range p.calls {
		if strings.HasSuffix(c.path, end) {
			return c.body
		}
	}
	return nil
}

func runProtocol(t *testing.T, r worker.Renderer, p *protocol) {
	t.Helper()
	runWorker(t, p, func(w *worker.Worker) { w.Renderer = r })
}

func runWorker(t *testing.T, p *protocol, change func(*worker.Worker)) {
	t.Helper()
	p.calls, p.jobs, p.gone = make(chan call, 100), make(chan apitype.Assignment), make(chan struct{}, 10)
	srv := httptest.NewServer(p)
	log := slog.New(slog.DiscardHandler)
	if p.log != nil {
		log = slog.New(slog.NewTextHandler(p.log, nil))
	}
	w := &worker.Worker{
		Client: client.New(srv.URL, "key"), Log: log,
		Spec: apitype.WorkerSpec{Name: "w", Network: "fast", Models: []string{"a", "b"}, Capacity: 1},
	}
	change(w)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ended; srv.Close() })
}

// A worker whose renderer is away claims nothing, gives back what it gets, says why, and
// claims again when it is back.
func TestAnUnavailableWorkerClaimsNothing(t *testing.T) {
	t.Parallel()
	r := newMonitored(worker.State{})
	r.renderFunc = func(context.Context, worker.Task) ([]worker.Output, error) {
		r.set(worker.State{Unavailable: "the renderer is away"})
		return nil, &worker.Failure{Code: "worker_unavailable", Message: "It is away.", Retryable: true}
	}
	p := &protocol{}
	runProtocol(t, r, p)
	p.next("/claim")
	r.set(worker.State{Unavailable: "the renderer is away"})
	<-p.gone // the claim has left
	if beat := p.next("/heartbeat"); beat["unavailable"] != "the renderer is away" {
		t.Errorf("heartbeat: %v", beat)
	}
	r.set(worker.State{})
	for { // the next claim comes after the renderer is back, and no earlier
		c := <-p.calls
		if strings.HasSuffix(c.path, "/claim") {
			break
		}
		if c.body["unavailable"] != nil {
			t.Errorf("heartbeat of an available worker: %v", c.body)
		}
	}
	p.jobs <- apitype.Assignment{JobID: "j1", ToolName: "generate_image", ModelID: "a"}
	if fail := p.next("/jobs/j1/fail"); fail["code"] != "worker_unavailable" || fail["message"] != "It is away." || fail["retryable"] != true {
		t.Errorf("fail: %v", fail)
	}
}

// A job that a service hands out while the renderer goes away is given back unrendered.
func TestAJobComesToAnUnavailableWorker(t *testing.T) {
	t.Parallel()
	r := newMonitored(worker.State{})
	rendered := make(chan struct{}, 1)
	r.renderFunc = func(ctx context.Context, t worker.Task) ([]worker.Output, error) {
		rendered <- struct{}{}
		return paint(ctx, t)
	}
	p := &protocol{}
	runProtocol(t, r, p)
	p.next("/claim")
	r.mu.Lock() // the worker learns of both at once
	p.jobs <- apitype.Assignment{JobID: "j1", ToolName: "generate_image", ModelID: "a"}
	r.state.Unavailable, r.state.Cause = "the renderer at 10.0.0.7 is away", "the renderer is away"
	r.mu.Unlock()
	if fail := p.next("/jobs/j1/fail"); fail["code"] != "worker_unavailable" || fail["message"] != "the renderer is away" {
		t.Errorf("fail: %v", fail)
	}
	if len(rendered) > 0 {
		t.Error("it was rendered")
	}
}

// names are the models of a body.
func names(body map[string]any) (out []string) {
	list, _ := body["models"].([]any)
	for _, m := range list {
		out = append(out, m.(string))
	}
	return out
}

// Models that the service refuses are offered again with the next heartbeats, and what was
// refused is logged once. The rest of the state is reported all the same.
func TestRefusedModelsAreOfferedAgain(t *testing.T) {
	t.Parallel()
	r := newMonitored(worker.State{Models: []string{"a"}})
	var log lockedBuffer
	p := &protocol{knows: []string{"a", "b"}, beats: 0.01, log: &log}
	runProtocol(t, r, p)
	p.next("/claim") // it is connected
	r.set(worker.State{Models: []string{"a", "new"}, Loaded: []string{"new"}, Unavailable: "the renderer is away"})
	refused := 0
	for refused < 3 {
		switch beat := p.next("/heartbeat"); {
		case slices.Equal(names(beat), []string{"a", "new"}):
			refused++
			if rest := p.next("/heartbeat"); rest["models"] != nil || rest["loadedModels"] != nil || rest["unavailable"] != "the renderer is away" {
				t.Errorf("after a refusal: %v", rest)
			}
		case beat["models"] != nil:
			t.Errorf("heartbeat: %v", beat)
		}
	}
	if n := strings.Count(log.String(), "service refused"); n != 1 || !strings.Contains(log.String(), `models="[a new]"`) {
		t.Errorf("logged %d times: %s", n, log.String())
	}
	r.set(worker.State{Models: []string{"a", "b"}}) // which the service accepts, and gets once
	for !slices.Equal(names(p.next("/heartbeat")), []string{"a", "b"}) {
	}
	for range 2 {
		if beat := p.next("/heartbeat"); beat["models"] != nil {
			t.Errorf("heartbeat after the models were accepted: %v", beat)
		}
	}
}

// lockedBuffer is a log that is written and read at the same time.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// The service learns which models the renderer has now, and a later session begins with
// them.
func TestModelsChange(t *testing.T) {
	t.Parallel()
	r := newMonitored(worker.State{Models: []string{"a"}})
	p := &protocol{}
	runProtocol(t, r, p)
	if got := names(p.next("POST ")); !slices.Equal(got, []string{"a"}) {
		t.Errorf("the session offers %v, want those of the renderer", got)
	}
	r.set(worker.State{Models: []string{"a", "c"}, Loaded: []string{"a"}})
	beat := p.next("/heartbeat")
	if got := names(beat); !slices.Equal(got, []string{"a", "c"}) || fmt.Sprint(beat["loadedModels"]) != "[a]" {
		t.Errorf("heartbeat: %v", beat)
	}
	r.set(worker.State{Models: []string{"a", "c"}})
	if beat := p.next("/heartbeat"); beat["models"] != nil {
		t.Errorf("models that have not changed are sent again: %v", beat)
	}
}

// The time in which a renderer loaded a model is reported with the result.
func TestModelSwitchesAreReported(t *testing.T) {
	t.Parallel()
	p := &protocol{}
	runProtocol(t, renderFunc(func(_ context.Context, t worker.Task) ([]worker.Output, error) {
		t.Switched(3 * time.Second)
		return nil, nil
	}), p)
	p.jobs <- apitype.Assignment{JobID: "j1", ToolName: "generate_image", ModelID: "a"}
	metrics, _ := p.next("/jobs/j1/complete")["metrics"].(map[string]any)
	if metrics["modelSwitchSeconds"] != 3.0 {
		t.Errorf("metrics: %v", metrics)
	}
}

// The service gives no job to a worker that has failed one as unavailable. One that can
// still render, with another server, reports that at once.
func TestAWorkerThatLostOneOfItsServers(t *testing.T) {
	t.Parallel()
	r := newMonitored(worker.State{Loaded: []string{"b"}})
	r.renderFunc = func(context.Context, worker.Task) ([]worker.Output, error) {
		return nil, &worker.Failure{Code: "worker_unavailable", Message: "One server is away.", Retryable: true}
	}
	p := &protocol{}
	runProtocol(t, r, p)
	p.next("/claim")
	p.jobs <- apitype.Assignment{JobID: "j1", ToolName: "generate_image", ModelID: "a"}
	p.next("/jobs/j1/fail")
	if c := <-p.calls; !strings.HasSuffix(c.path, "/heartbeat") || c.body["unavailable"] != nil || fmt.Sprint(c.body["loadedModels"]) != "[b]" {
		t.Errorf("after the failure comes %+v", c)
	}
}

// A measurement of the machine goes with a heartbeat, once. A service that refuses it gets the rest.
func TestMachineIsReported(t *testing.T) {
	t.Parallel()
	for _, refused := range []bool{false, true} {
		p := &protocol{beats: 0.05}
		if refused {
			p.refuses = "machine"
		}
		runWorker(t, p, func(w *worker.Worker) {
			w.Renderer = newMonitored(worker.State{Models: []string{"a", "b"}, Loaded: []string{"a"}})
			w.Machine = func(context.Context) apitype.Machine { return apitype.Machine{Renderer: "ComfyUI 1"} }
		})
		var with map[string]any
		for with == nil {
			if body := p.next("/heartbeat"); body["machine"] != nil {
				with = body
			}
		}
		if got := with["machine"].(map[string]any)["renderer"]; got != "ComfyUI 1" {
			t.Errorf("got %v", with)
		}
		if next := p.next("/heartbeat"); next["machine"] != nil || fmt.Sprint(next["loadedModels"]) != "[a]" {
			t.Errorf("refused %v: then %v", refused, next)
		}
	}
}

// What the service does with a worker is logged when it changes, and only then.
func TestDrainingAndStandingAreLogged(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	p := &protocol{beats: 0.01, log: &log, replies: make(chan apitype.HeartbeatReply)}
	runProtocol(t, newMonitored(worker.State{}), p)
	for _, r := range []apitype.HeartbeatReply{{}, {Draining: true}, {Draining: true}, {}, {LowStanding: "It fails."}, {LowStanding: "It fails again."}, {}, {}} {
		p.replies <- r
	}
	p.next("/heartbeat")
	got := regexp.MustCompile(`level=(\w+) msg="?([\w ]+)`).FindAllStringSubmatch(log.String(), -1)
	var lines []string
	for _, m := range got {
		lines = append(lines, m[1]+" "+m[2])
	}
	want := []string{"INFO drained", "INFO no longer drained", "WARN standing is low", "INFO in good standing again"}
	if !slices.Equal(lines, want) || !strings.Contains(log.String(), `reason="It fails."`) {
		t.Errorf("got %q, want %q", log.String(), want)
	}
}
