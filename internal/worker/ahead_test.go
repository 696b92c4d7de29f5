package worker_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/worker"
)

// home is a service behind the connection of a home, in simulated time: 40 ms for each call, and
// 20 Mbit/s up.
type home struct {
	up chan struct{} // has an element while a request is sent; a mutex would stop simulated time

	mu      sync.Mutex
	queued  int
	held    map[string]float64 // progress of the jobs that the worker has
	most    int                // of those, at once
	refused int                // claims of a full worker
	done    int
	ended   chan struct{} // closed when all are done
}

func (h *home) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	h.up <- struct{}{}
	time.Sleep(time.Duration(len(body)) * 8 * time.Second / 20e6)
	<-h.up
	time.Sleep(40 * time.Millisecond)
	status, reply := h.answer(r, body)
	for status == http.StatusNoContent && r.Context().Err() == nil { // a claim waits
		<-r.Context().Done()
	}
	text, err := json.Marshal(map[string]any{"status": "success", "data": reply})
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(text)), Request: r}, err
}

func (h *home) answer(r *http.Request, body []byte) (int, any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/worker/sessions"), "/")
	switch last := parts[len(parts)-1]; {
	case len(parts) == 1:
		return 201, apitype.WorkerSessionReply{Worker: apitype.WorkerSession{WorkerID: "w", LeaseSeconds: 15, HeartbeatSeconds: 5}}
	case last == "claim":
		if !h.hasPlace() {
			h.refused++
			return 409, nil
		}
		if h.queued == 0 {
			return 204, nil
		}
		return 200, apitype.ClaimedJob{Job: h.lease()}
	case last == "progress":
		var p apitype.JobProgress
		_ = json.Unmarshal(body, &p)
		h.held[parts[3]] = max(h.held[parts[3]], p.Progress)
		return 200, map[string]any{"cancel": false}
	case last == "complete":
		var c apitype.Completion
		_ = json.Unmarshal(body, &c)
		delete(h.held, parts[3])
		if h.done++; h.queued == 0 && len(h.held) == 0 {
			close(h.ended)
		}
		var next apitype.ClaimedJob
		if c.ClaimNext && h.queued > 0 && h.hasPlace() {
			next.Job = h.lease()
		}
		return 200, next
	}
	return 200, map[string]any{}
}

func (h *home) hasPlace() bool {
	rendering := 0
	for _, progress := range h.held {
		if progress < 1 {
			rendering++
		}
	}
	return atelier.FreePlaces(1, len(h.held), rendering) > 0
}

func (h *home) lease() *apitype.Assignment {
	id := fmt.Sprint("job", h.queued)
	h.queued--
	h.held[id] = 0
	h.most = max(h.most, len(h.held))
	return &apitype.Assignment{JobID: atelier.JobID(id), ProjectID: "p", ModelID: model, Artifacts: []apitype.AssignmentArtifact{{ID: "a", Kind: "image", ContentType: "image/png"}}}
}

// A worker behind the connection of a home claims the next job before the last result has gone out,
// so its GPU is hardly ever idle. It has no job longer than it needs for that.
func TestTheNextJobIsClaimedBeforeTheLastIsDelivered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const jobs, length = 40, 1500 * time.Millisecond
		h := &home{queued: jobs, held: map[string]float64{}, up: make(chan struct{}, 1), ended: make(chan struct{})}
		gpu := make(chan struct{}, 1)
		var first, last time.Time
		ahead := 0 // jobs that wait for the GPU, and the most of them
		var counting sync.Mutex
		mostAhead := 0
		render := renderFunc(func(_ context.Context, k worker.Task) ([]worker.Output, error) {
			counting.Lock()
			ahead++
			mostAhead = max(mostAhead, ahead)
			counting.Unlock()
			gpu <- struct{}{}
			counting.Lock()
			ahead--
			counting.Unlock()
			k.Begun()
			if first.IsZero() {
				first = time.Now()
			}
			time.Sleep(length / 2)
			k.Ending()
			time.Sleep(length / 2)
			last = time.Now()
			<-gpu
			path := filepath.Join(k.Folder, "made")
			return []worker.Output{{ID: "a", Path: path}}, os.WriteFile(path, make([]byte, 1_000_000), 0o600)
		})
		c := client.New("http://service", "key")
		c.HTTP = &http.Client{Transport: h}
		w := &worker.Worker{Client: c, Renderer: render, Log: slog.New(slog.DiscardHandler), Spec: apitype.WorkerSpec{Name: "home", Network: "fast", Models: []string{model}, Capacity: 1}}
		ctx, cancel := context.WithCancel(t.Context())
		stopped := make(chan error, 1)
		go func() { stopped <- w.Run(ctx) }()
		<-h.ended
		cancel()
		<-stopped
		if busy := float64(jobs*length) / float64(last.Sub(first)); busy < 0.95 {
			t.Errorf("the GPU was busy for %.0f %% of the time, want 95", 100*busy)
		}
		if h.done != jobs || h.most > 3 || mostAhead > 1 || h.refused > 0 {
			t.Errorf("%d jobs done, at most %d held and %d waiting for the GPU, %d claims refused", h.done, h.most, mostAhead, h.refused)
		}
	})
}
