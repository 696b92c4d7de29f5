package remote_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier/apitype"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/pipetest"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/remote"
)

// network has the servers of all tests, in memory.
var network pipetest.Network

// inBubble runs a test where timeouts cost no time, and where it does not matter how
// busy the machine is.
func inBubble(t *testing.T, name string, test func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, test)
	})
}

const secret = "sk-very-secret-0123456789"

// submission is a submit that the fake vendor received.
type submission struct {
	header http.Header
	body   map[string]any
	raw    []byte
}

// fakeQueue is a vendor that queues renders, with the protocol of the adapter
// generic.
type fakeQueue struct {
	*httptest.Server
	t *testing.T

	mu       sync.Mutex
	submits  []submission
	polls    int
	cancels  int
	tasks    map[string]string // id to status
	byKey    map[string]string // idempotency key to id
	clip     []byte
	accept   func(w http.ResponseWriter, n int) bool            // before a submit is accepted; true when it has answered
	accepted func(w http.ResponseWriter, n int) bool            // after it was accepted
	poll     func(w http.ResponseWriter, id string, n int) bool // instead of the usual answer
	cancel   func(id string) string                             // the status after a cancel
	result   func(id string) string                             // the address of the result
	polled   chan string                                        // receives the id of each poll, if not nil
}

func newFakeQueue(t *testing.T) *fakeQueue {
	t.Helper()
	s := &fakeQueue{t: t, tasks: map[string]string{}, byKey: map[string]string{}, clip: read(t, "../../ateliertest/media/video.mp4")}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/videos", s.submit)
	mux.HandleFunc("GET /v1/videos/{id}", s.status)
	mux.HandleFunc("DELETE /v1/videos/{id}", s.remove)
	mux.HandleFunc("GET /files/{id}", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("the key was sent to fetch a result")
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		_, _ = w.Write(s.clip)
	})
	s.Server = network.Serve(t, mux)
	return s
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func (s *fakeQueue) submit(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	sub := submission{header: r.Header, raw: raw}
	if err := json.Unmarshal(raw, &sub.body); err != nil {
		s.t.Errorf("the submit is not JSON: %v", err)
	}
	if r.Header.Get("Authorization") != "Bearer "+secret {
		s.t.Errorf("the key is %q", r.Header.Get("Authorization"))
	}
	s.mu.Lock()
	s.submits = append(s.submits, sub)
	n := len(s.submits)
	s.mu.Unlock()
	if s.accept != nil && s.accept(w, n) {
		return
	}
	s.mu.Lock()
	key := r.Header.Get("Idempotency-Key")
	id, known := s.byKey[key]
	if !known || key == "" {
		id = fmt.Sprintf("task-%d", len(s.tasks)+1)
		s.tasks[id] = "completed"
		if key != "" {
			s.byKey[key] = id
		}
	}
	s.mu.Unlock()
	if s.accepted != nil && s.accepted(w, n) {
		return
	}
	fmt.Fprintf(w, `{"id":%q,"status":"queued"}`, id)
}

func (s *fakeQueue) status(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	s.mu.Lock()
	s.polls++
	n, status, poll := s.polls, s.tasks[id], s.poll
	s.mu.Unlock()
	if s.polled != nil {
		select {
		case s.polled <- id:
		default:
		}
	}
	if poll != nil && poll(w, id, n) {
		return
	}
	if status == "" {
		http.Error(w, `{"error":"no such task"}`, http.StatusNotFound)
		return
	}
	url := s.URL + "/files/" + id
	if s.result != nil {
		url = s.result(id)
	}
	fmt.Fprintf(w, `{"id":%q,"status":%q,"progress":50,"output":{"url":"%s"}}`, id, status, url)
}

func (s *fakeQueue) remove(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancels++
	if s.cancel != nil {
		s.tasks[r.PathValue("id")] = s.cancel(r.PathValue("id"))
	}
}

func (s *fakeQueue) count() (submits, tasks, cancels int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.submits), len(s.tasks), s.cancels
}

// respond answers with a status and a body.
func respond(status int, body string, headers ...string) func(http.ResponseWriter, int) bool {
	return func(w http.ResponseWriter, _ int) bool {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
		return true
	}
}

// hangUp breaks the connection without an answer.
func hangUp(w http.ResponseWriter, _ int) bool {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		conn.Close()
	}
	return true
}

// adapter is an embedded adapter with short intervals and some changes.
func adapter(t *testing.T, name string, changes ...string) *remote.Adapter {
	t.Helper()
	text := string(read(t, "adapters/"+name+".yaml"))
	text = strings.NewReplacer("poll_every: 5s", "poll_every: 10ms", "poll_every: 10s", "poll_every: 10ms").Replace(text)
	for i := 0; i+1 < len(changes); i += 2 {
		if !strings.Contains(text, changes[i]) {
			t.Fatalf("the adapter %s has no %q", name, changes[i])
		}
		text = strings.ReplaceAll(text, changes[i], changes[i+1])
	}
	a, err := remote.ParseAdapter(name+".yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// notIdempotent is the adapter generic of a vendor without idempotency keys.
func notIdempotent(t *testing.T) *remote.Adapter {
	return adapter(t, "generic", "idempotency_header: Idempotency-Key", "")
}

var models = sync.OnceValue(func() *catalog.Catalog {
	c, err := catalog.Load("")
	if err != nil {
		panic(err)
	}
	return c
})

// logBuffer collects what is logged.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (j *logBuffer) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(p)
}

func (j *logBuffer) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.String()
}

// open makes a renderer with short timeouts. Its log must not contain the key.
func open(t *testing.T, url, model string, a *remote.Adapter, set ...func(*remote.Options)) *remote.Renderer {
	t.Helper()
	m, ok := models().Model(model)
	if !ok {
		t.Fatalf("there is no model %s", model)
	}
	log := &logBuffer{}
	t.Cleanup(func() {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the key is in the log: %s", log)
		}
	})
	o := remote.Options{
		Name: "acme", BaseURL: url + "/v1", Key: secret, Adapter: a, Dial: network.Dial, Editor: anyClips{}, Models: []remote.Model{{Model: m, VendorID: "acme-1"}},
		Log:     slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Timeout: 5 * time.Second, RetryFor: 800 * time.Millisecond, Backoff: 5 * time.Millisecond, Stall: 600 * time.Millisecond,
		CancelWait: 400 * time.Millisecond, StopWait: 50 * time.Millisecond,
	}
	for _, f := range set {
		f(&o)
	}
	r, err := remote.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// receiptStore is the service's side of a task: it stores receipts.
type receiptStore struct {
	mu       sync.Mutex
	receipts []string
	refuse   bool
}

func (d *receiptStore) keep(_ context.Context, receipt string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refuse {
		return fmt.Errorf("the service is unavailable")
	}
	d.receipts = append(d.receipts, receipt)
	return nil
}

func (d *receiptStore) last() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.receipts) == 0 {
		return ""
	}
	return d.receipts[len(d.receipts)-1]
}

// task is a job for a renderer. Inputs are pairs of an argument and a file.
func task(t *testing.T, tool, model string, args map[string]any, artifacts []string, inputs ...string) (worker.Task, *receiptStore) {
	t.Helper()
	d := &receiptStore{}
	k := worker.Task{
		Assignment: apitype.Assignment{JobID: "job-1", ProjectID: "p-1", ToolName: tool, ModelID: model, Arguments: args, Seed: 7, SafeContentFilter: true},
		Folder:     t.TempDir(), Files: map[string]string{}, Report: func(float64, string) {}, Keep: d.keep,
	}
	for i, kind := range artifacts {
		k.Artifacts = append(k.Artifacts, apitype.AssignmentArtifact{ID: fmt.Sprintf("a%d", i), ContentType: kind, Kind: strings.Split(kind, "/")[0]})
	}
	counts := map[string]int{}
	for i := 0; i+1 < len(inputs); i += 2 {
		argument, path := inputs[i], inputs[i+1]
		name := argument
		if n := counts[argument]; n > 0 {
			name = fmt.Sprintf("%s#%d", argument, n)
		}
		counts[argument]++
		kind := map[string]string{".png": "image", ".mp4": "video", ".mp3": "audio", ".wav": "audio"}[filepath.Ext(path)]
		k.Files[name] = path
		k.Inputs = append(k.Inputs, apitype.AssignmentInput{Argument: argument, Kind: kind, URL: "https://atelier.example/" + filepath.Base(path)})
	}
	return k, d
}

var clip = []string{"video/mp4"}

// verdict is the code of a failure, or the word done.
func verdict(err error) string {
	if err == nil {
		return "done"
	}
	if f, ok := err.(*worker.Failure); ok {
		return f.Code
	}
	return "oddly: " + err.Error()
}

// pngFile writes a PNG file of a size.
func pngFile(t *testing.T, w, h int, c color.Color) string {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "shot.png")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func b64(data []byte) string { return base64.StdEncoding.EncodeToString(data) }
