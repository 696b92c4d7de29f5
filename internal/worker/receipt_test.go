package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier/apitype"

	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/pipetest"
	"github.com/atelier-project/atelier/internal/worker"
)

// network has the servers of all tests that need no whole service, in memory.
var network pipetest.Network

// protocolServer is a service that speaks the worker protocol with receipts and has
// one job.
type protocolServer struct {
	*httptest.Server
	ends    chan map[string]any
	claims  chan struct{} // received
	reports chan struct{} // of progress received

	mu       sync.Mutex
	job      *apitype.Assignment
	receipts []any
	cancel   bool
	claim    int // status of claims when there is no job
	upload   int // status of uploads
	complete int // status of completions
	progress int // status of progress with a receipt
}

func newProtocolServer(t *testing.T, job apitype.Assignment) *protocolServer {
	t.Helper()
	c := &protocolServer{job: &job, ends: make(chan map[string]any, 4), claims: make(chan struct{}, 100), reports: make(chan struct{}, 1), upload: http.StatusNoContent, complete: http.StatusOK, progress: http.StatusOK}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/worker/sessions", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":{"worker":{"workerId":"w","leaseSeconds":0.2,"heartbeatSeconds":1}}}`)
	})
	mux.HandleFunc("POST /v1/worker/sessions/w/claim", func(w http.ResponseWriter, r *http.Request) {
		select {
		case c.claims <- struct{}{}:
		default:
		}
		c.mu.Lock()
		j := c.job
		c.job = nil
		c.mu.Unlock()
		if j == nil && c.claim != 0 {
			w.WriteHeader(c.claim)
			return
		}
		if j == nil {
			_, _ = io.Copy(io.Discard, r.Body) // the server then notices when the client disconnects
			<-r.Context().Done()
			w.WriteHeader(http.StatusNoContent)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{"job": j}})
	})
	mux.HandleFunc("POST /v1/worker/sessions/w/heartbeat", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("DELETE /v1/worker/sessions/w", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /v1/worker/sessions/w/jobs/j/{verb}", func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		if verb := r.PathValue("verb"); verb == "complete" && c.complete != http.StatusOK {
			w.WriteHeader(c.complete)
			return
		} else if verb != "progress" {
			body["verb"] = verb
			delete(body, "artifacts") // failures would print their bytes
			c.ends <- body
			return
		}
		select {
		case c.reports <- struct{}{}:
		default:
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if body["receipt"] != nil {
			c.receipts = append(c.receipts, body["receipt"])
			w.WriteHeader(c.progress)
		}
		fmt.Fprintf(w, `{"data":{"cancel":%v}}`, c.cancel)
	})
	mux.HandleFunc("GET /v2/image/uploadUrl", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"data":{"url":%q,"fields":{}}}`, c.URL+"/upload")
	})
	mux.HandleFunc("POST /upload", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(c.upload)
	})
	mux.HandleFunc("GET /away", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", http.StatusInternalServerError) })
	c.Server = network.Serve(t, mux)
	return c
}

func (c *protocolServer) client(t *testing.T) *client.Client {
	t.Helper()
	return &client.Client{URL: c.URL, Key: "k", HTTP: network.Client(t), Retries: 4}
}

// serve runs the job with a renderer, and returns how it ended.
func (c *protocolServer) serve(t *testing.T, b renderFunc) map[string]any {
	t.Helper()
	return c.serveWith(t, func(w *worker.Worker) { w.Renderer = b })
}

// serveWith runs the job with a worker, and returns how it ended.
func (c *protocolServer) serveWith(t *testing.T, set func(*worker.Worker)) map[string]any {
	t.Helper()
	w := &worker.Worker{Client: c.client(t), Patience: time.Second, Log: slog.New(slog.DiscardHandler), Spec: apitype.WorkerSpec{Name: "w", Network: "fast", Models: []string{model}, Capacity: 1}}
	set(w)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = w.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	select {
	case e := <-c.ends:
		return e
	case <-time.After(time.Hour):
		t.Fatal("the job did not end")
		return nil
	}
}

// inBubble runs a test where timeouts cost no time, and where it does not matter how
// busy the machine is.
func inBubble(t *testing.T, name string, test func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, test)
	})
}

func simple() apitype.Assignment {
	return apitype.Assignment{JobID: "j", ProjectID: "p", ToolName: "generate_image", ModelID: model, Artifacts: []apitype.AssignmentArtifact{{ID: "a0", ContentType: "image/png"}}}
}

func TestAReceiptIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := simple()
		j.Receipt = "before"
		c := newProtocolServer(t, j)
		e := c.serve(t, func(ctx context.Context, k worker.Task) ([]worker.Output, error) {
			if k.Receipt != "before" {
				t.Errorf("the receipt of the job is %q", k.Receipt)
			}
			if err := k.Keep(ctx, "after"); err != nil {
				t.Error(err)
			}
			if err := k.Keep(ctx, strings.Repeat("x", client.MaxReceipt+1)); err == nil {
				t.Error("a receipt that is too long was kept")
			}
			return paint(ctx, k)
		})
		if e["verb"] != "complete" || len(c.receipts) != 1 || c.receipts[0] != "after" {
			t.Errorf("it ended with %v and the receipts %q", e, c.receipts)
		}
	})
}

// large makes files that are too large for a completion.
func large(b renderFunc) renderFunc {
	return func(ctx context.Context, k worker.Task) ([]worker.Output, error) {
		out, err := b(ctx, k)
		for _, o := range out {
			if err := os.Truncate(o.Path, client.MaxData+1); err != nil {
				return nil, err
			}
		}
		return out, err
	}
}

// With a receipt, only a failure that the renderer reports ends the job; after any
// other error the outcome is unknown.
func TestErrorsWithAReceiptAreUnknown(t *testing.T) {
	t.Parallel()
	kept := func(err error) renderFunc {
		return func(ctx context.Context, k worker.Task) ([]worker.Output, error) {
			if err := k.Keep(ctx, "r"); err != nil {
				return nil, err
			}
			if err == nil {
				return paint(ctx, k)
			}
			return nil, err
		}
	}
	for name, c := range map[string]struct {
		set        func(*protocolServer)
		renderFunc renderFunc
		code       any
	}{
		"a failure":              {nil, kept(worker.Failf("no")), "error"},
		"an odd error":           {nil, kept(errors.New("the disk is full")), "unknown"},
		"a panic":                {nil, func(ctx context.Context, k worker.Task) ([]worker.Output, error) { _ = k.Keep(ctx, "r"); panic("x") }, "unknown"},
		"storage is away":        {func(c *protocolServer) { c.complete = http.StatusInternalServerError }, kept(nil), "unknown"},
		"too large":              {func(c *protocolServer) { c.complete = http.StatusRequestEntityTooLarge }, kept(nil), "error"},
		"no space for an upload": {func(c *protocolServer) { c.upload = http.StatusInternalServerError }, large(kept(nil)), "unknown"},
		"too large an upload":    {func(c *protocolServer) { c.upload = http.StatusRequestEntityTooLarge }, large(kept(nil)), "error"},
		"refused without one":    {func(c *protocolServer) { c.complete = http.StatusBadRequest }, paint, "error"},
		"not remembered":         {func(c *protocolServer) { c.progress = http.StatusInternalServerError }, kept(nil), "unknown"},
		"an input is away": {func(c *protocolServer) {
			c.job.Receipt = "r"
			c.job.Inputs = []apitype.AssignmentInput{{Argument: "x", URL: c.URL + "/away"}}
		}, kept(nil), "unknown"},
		"without one": {nil, func(context.Context, worker.Task) ([]worker.Output, error) { return nil, errors.New("x") }, "error"},
	} {
		inBubble(t, name, func(t *testing.T) {
			service := newProtocolServer(t, simple())
			if c.set != nil {
				c.set(service)
			}
			if e := service.serve(t, c.renderFunc); e["verb"] != "fail" || e["code"] != c.code {
				t.Errorf("it ended with %v, want %v", e, c.code)
			}
		})
	}
}

// A renderer can distinguish a cancel from a worker that stops, and a result that
// it still made is delivered.
func TestARendererSeesACancel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newProtocolServer(t, simple())
		c.cancel = true
		e := c.serve(t, func(ctx context.Context, k worker.Task) ([]worker.Output, error) {
			if err := k.Keep(ctx, "r"); err != nil { // kept, although the job was cancelled
				t.Error(err)
			}
			<-ctx.Done()
			if !worker.Cancelled(ctx) {
				t.Errorf("it ended because of %v", context.Cause(ctx))
			}
			return paint(ctx, k)
		})
		if e["verb"] != "complete" {
			t.Errorf("it ended with %v", e)
		}
		stopped, stop := context.WithCancel(t.Context())
		stop()
		if worker.Cancelled(stopped) || worker.Cancelled(t.Context()) {
			t.Error("a context that ends counts as a cancel")
		}
	})
}
