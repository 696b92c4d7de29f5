package remote_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier/apitype"

	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/remote"
)

// ending is how a worker ended a job.
type ending struct {
	Verb    string // complete or fail
	Code    string `json:"code"`
	Message string `json:"message"`

	Artifacts []apitype.ReportedArtifact `json:"artifacts"`
}

// String leaves the files out.
func (e ending) String() string {
	return fmt.Sprintf("%s of %d artifacts, %s %q", e.Verb, len(e.Artifacts), e.Code, e.Message)
}

// service is a fake service with the worker protocol and receipts, for one job that
// is offered until it has ended.
type service struct {
	*httptest.Server
	t      *testing.T
	ends   chan ending
	onStop func() // called when a worker has noticed that it shall stop

	mu       sync.Mutex
	job      apitype.Assignment
	offered  bool
	cancel   bool
	reports  int
	receipts []string
	files    int // in completions
}

func newService(t *testing.T, job apitype.Assignment) *service {
	t.Helper()
	s := &service{t: t, job: job, ends: make(chan ending, 16)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/worker/sessions", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":{"worker":{"workerId":"w","leaseSeconds":0.2,"heartbeatSeconds":1}}}`)
	})
	mux.HandleFunc("POST /v1/worker/sessions/w/claim", s.claim)
	mux.HandleFunc("POST /v1/worker/sessions/w/heartbeat", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("DELETE /v1/worker/sessions/w", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /v1/worker/sessions/w/jobs/job-1/progress", s.progress)
	mux.HandleFunc("POST /v1/worker/sessions/w/jobs/job-1/{verb}", func(_ http.ResponseWriter, r *http.Request) {
		e := ending{Verb: r.PathValue("verb")}
		if err := json.NewDecoder(r.Body).Decode(&e); err != nil {
			t.Errorf("%s: %v", e.Verb, err)
		}
		s.mu.Lock()
		for _, a := range e.Artifacts {
			if len(a.Data) > 0 {
				s.files++
			}
		}
		s.mu.Unlock()
		s.ends <- e
	})
	s.Server = network.Serve(t, mux)
	return s
}

func (s *service) claim(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	job, first := s.job, !s.offered
	s.offered = true
	if len(s.receipts) > 0 {
		job.Receipt = s.receipts[len(s.receipts)-1]
	}
	s.mu.Unlock()
	if !first {
		_, _ = io.Copy(io.Discard, r.Body) // the server then notices when the client disconnects
		<-r.Context().Done()
		w.WriteHeader(http.StatusNoContent)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{"job": job}})
}

func (s *service) progress(w http.ResponseWriter, r *http.Request) {
	var q struct{ Receipt string }
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		s.t.Errorf("progress: %v", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reports++
	if q.Receipt != "" {
		s.receipts = append(s.receipts, q.Receipt)
	}
	fmt.Fprintf(w, `{"data":{"cancel":%v}}`, s.cancel)
}

// offer lets the job be claimed again.
func (s *service) offer() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offered = false
}

// runWorker runs a worker. The returned function stops it and waits.
func (s *service) runWorker(r worker.Renderer) (stop func()) {
	w := worker.Worker{
		Client: &client.Client{URL: s.URL, Key: "k", HTTP: network.Client(s.t), Retries: 4}, Renderer: r, Log: slog.New(slog.DiscardHandler),
		Spec: apitype.WorkerSpec{Name: "acme", Network: "fast", Models: []string{seedance}, Capacity: 1},
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = w.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if s.onStop != nil {
			synctest.Wait()
			s.onStop()
		}
		<-ended
	})
	s.t.Cleanup(stop)
	return stop
}

func (s *service) end() ending {
	s.t.Helper()
	select {
	case e := <-s.ends:
		return e
	case <-time.After(time.Hour):
		s.t.Fatal("the job did not end")
		return ending{}
	}
}

func filmJob(n int) apitype.Assignment {
	j := apitype.Assignment{JobID: "job-1", ProjectID: "p", ToolName: "generate_video", ModelID: seedance, Arguments: map[string]any{"prompt": "x"}}
	for i := range n {
		j.Artifacts = append(j.Artifacts, apitype.AssignmentArtifact{ID: fmt.Sprintf("a%d", i), ContentType: "video/mp4"})
	}
	return j
}

// A worker that is asked to stop reports that the outcome is unknown; the next one
// gets the receipt and delivers. The vendor renders once.
func TestAWorkerIsRestarted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeQueue(t)
		s.polled = make(chan string, 1)
		s.poll = func(w http.ResponseWriter, _ string, n int) bool { return respond(200, `{"status":"running"}`)(w, n) }
		v := newService(t, filmJob(1))
		stop := v.runWorker(open(t, s.URL, seedance, notIdempotent(t)))
		<-s.polled
		stop()
		if e := v.end(); e.Verb != "fail" || e.Code != "unknown" {
			t.Fatalf("the stopped worker reported %+v", e)
		}
		s.mu.Lock()
		s.poll = nil
		s.mu.Unlock()
		v.offer()
		v.runWorker(open(t, s.URL, seedance, notIdempotent(t)))
		if e := v.end(); e.Verb != "complete" {
			t.Errorf("the second worker reported %+v", e)
		}
		if submits, tasks, cancels := s.count(); submits != 1 || tasks != 1 || cancels != 0 || v.files != 1 {
			t.Errorf("%d submits, %d tasks, %d cancels, %d files", submits, tasks, cancels, v.files)
		}
	})
}

// A worker that is stopped in the middle of a submit waits a moment for the id.
func TestAWorkerIsStoppedInTheMiddleOfASubmit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers bool
		linger  time.Duration
		receipt string
	}{"answers soon": {true, time.Minute, "task-1"}, "does not": {false, 10 * time.Millisecond, "intent"}} {
		inBubble(t, name, func(t *testing.T) {
			s := newFakeQueue(t)
			asked := make(chan struct{}, 1)
			done := make(chan struct{})
			answer := sync.OnceFunc(func() { close(done) })
			t.Cleanup(answer)
			s.accepted = func(http.ResponseWriter, int) bool {
				asked <- struct{}{}
				<-done
				return false
			}
			v := newService(t, filmJob(1))
			if c.answers {
				v.onStop = answer
			}
			stop := v.runWorker(open(t, s.URL, seedance, notIdempotent(t), func(o *remote.Options) { o.StopWait = c.linger }))
			<-asked
			stop()
			if e := v.end(); e.Code != "unknown" {
				t.Errorf("the worker reported %+v", e)
			}
			if last := v.receipts[len(v.receipts)-1]; !strings.Contains(last, c.receipt) {
				t.Errorf("the receipt is %s, want %s", last, c.receipt)
			}
		})
	}
}

// A cancel is sent to the vendor, and the vendor's final status decides. The lease
// is renewed until then.
func TestACancel(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after      string // the status after the cancel
		verb, code string
	}{
		"taken":    {"cancelled", "fail", "error"},
		"too late": {"completed", "complete", ""},
		"failed":   {"failed", "fail", "error"},
		"no word":  {"running", "fail", "unknown"},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := newFakeQueue(t)
			s.polled = make(chan string, 1)
			var cancelled bool
			s.cancel = func(string) string { cancelled = true; return c.after }
			s.poll = func(w http.ResponseWriter, _ string, n int) bool {
				s.mu.Lock()
				early := !cancelled
				s.mu.Unlock()
				return early && respond(200, `{"status":"running"}`)(w, n)
			}
			v := newService(t, filmJob(2))
			v.runWorker(open(t, s.URL, seedance, notIdempotent(t), func(o *remote.Options) { o.CancelWait = 1500 * time.Millisecond }))
			<-s.polled
			v.mu.Lock()
			v.cancel = true
			before := v.reports
			v.mu.Unlock()
			e := v.end()
			if e.Verb != c.verb || e.Code != c.code {
				t.Errorf("the worker reported %+v, want %s %s", e, c.verb, c.code)
			}
			if submits, _, cancels := s.count(); submits != 2 || cancels != 2 {
				t.Errorf("%d submits and %d cancels, want two of each", submits, cancels)
			}
			v.mu.Lock()
			defer v.mu.Unlock()
			if c.code == "unknown" && v.reports-before < 3 {
				t.Errorf("%d reports after the cancel: the lease would have expired", v.reports-before)
			}
		})
	}
}

// A job that was cancelled while no worker had it is polled and not submitted.
func TestACancelledJobComesBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeQueue(t)
		s.tasks["old"] = "running"
		s.cancel = func(string) string { return "cancelled" }
		j := filmJob(1)
		j.Receipt = `{"vendor":"acme","parts":[{"s":"sent","i":"old"}]}`
		v := newService(t, j)
		v.cancel = true
		v.runWorker(open(t, s.URL, seedance, notIdempotent(t)))
		if e := v.end(); e.Verb != "fail" || e.Code != "error" {
			t.Errorf("the worker reported %+v", e)
		}
		if submits, _, cancels := s.count(); submits != 0 || cancels != 1 {
			t.Errorf("%d submits and %d cancels, want none and one", submits, cancels)
		}
	})
}
