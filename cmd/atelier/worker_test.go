//go:build unix

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/catalog"
)

// A worker for ComfyUI looks for new files on SIGHUP, and the service learns which models
// it has now. At its start it says which graph of a model that it offers lacks something, and once
// the service has accepted it what it offers, in one line; what the other models lack it says at
// the level debug. It ends on SIGTERM.
func TestWorkerLooksAgain(t *testing.T) {
	t.Parallel()
	for _, level := range []string{"info", "debug"} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			testWorkerLooksAgain(t, level)
		})
	}
}

func testWorkerLooksAgain(t *testing.T, level string) {
	files := atomic.Pointer[[]string]{}
	files.Store(&[]string{"birefnet_image_background_removal_fp16.safetensors"})
	answer := func(v any) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(v) }
	}
	comfy := http.NewServeMux()
	asked, started := make(chan struct{}), make(chan struct{})
	var first sync.Once
	comfy.HandleFunc("GET /system_stats", func(w http.ResponseWriter, r *http.Request) {
		first.Do(func() { close(asked) })
		<-started
		answer(map[string]any{"system": map[string]any{"comfyui_version": "0.7.0"}})(w, r)
	})
	comfy.HandleFunc("GET /object_info", answer(map[string]any{"Make": map[string]any{"input": map[string]any{"required": map[string]any{"name": []any{"STRING", map[string]any{}}}}}}))
	comfy.HandleFunc("GET /prompt", answer(map[string]any{}))
	comfy.HandleFunc("GET /models/{folder}", func(w http.ResponseWriter, r *http.Request) { answer(*files.Load())(w, r) })
	connected, accepted, offered := make(chan struct{}, 1), make(chan struct{}), make(chan []string, 10)
	success := func(data any) http.HandlerFunc { return answer(map[string]any{"status": "success", "data": data}) }
	service := http.NewServeMux()
	service.HandleFunc("POST /v1/worker/sessions", func(w http.ResponseWriter, r *http.Request) {
		connected <- struct{}{}
		<-accepted
		w.WriteHeader(http.StatusCreated)
		success(map[string]any{"worker": map[string]any{"workerId": "w", "leaseSeconds": 3600, "heartbeatSeconds": 1200}})(w, r)
	})
	service.HandleFunc("POST /v1/worker/sessions/w/claim", func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a server notices that a caller left only after that
		<-r.Context().Done()
	})
	service.HandleFunc("POST /v1/worker/sessions/w/heartbeat", func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Models []string }
		_ = json.NewDecoder(r.Body).Decode(&body)
		offered <- body.Models
		success(map[string]any{})(w, r)
	})
	service.HandleFunc("DELETE /v1/worker/sessions/w", success(map[string]any{}))
	a, b := httptest.NewServer(comfy), httptest.NewServer(service)
	t.Cleanup(a.Close)
	t.Cleanup(b.Close)
	graphs := t.TempDir()
	for name, text := range map[string]string{
		"mine.json": `{"1": {"class_type": "Make", "inputs": {"name": "x"}}}`,
		"mine.yaml": `tools: [remove_background, segment_image]
models: [{ id: birefnet_image_background_removal_fp16 }, { id: sam3_image_segment_bf16 }]
outputs: [{ node: 1, type: image/png }]
files: { 1.name: { folder: checkpoints, names: ["{model}.safetensors"] } }
`,
		"mine_mask.yaml": `base: mine
tools: [remove_background]
models: [{ id: birefnet_image_background_removal_fp16 }]
only: { applyMask: [false] }
files: { 1.name: { folder: checkpoints, names: [mask.safetensors] } }
`,
	} {
		if err := os.WriteFile(filepath.Join(graphs, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := launch(t.TempDir(), clean(), "worker", "--backend", "comfyui", "--comfy-url", a.URL, "--url", b.URL, "--api-key", "key", "--graphs", graphs, "--log-level", level)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	p.happens(t, asked)
	p.signal(t, syscall.SIGHUP) // it has nothing to look for yet
	close(started)
	p.happens(t, connected)
	if out, _ := p.stdout.state(); out != "" {
		t.Errorf("it says %q before the service has accepted it", out)
	}
	close(accepted)
	hint := " (run with --log-level debug to see why)\n"
	if level == "debug" {
		hint = "\n"
	}
	line := regexp.MustCompile(`^serving ` + b.URL + ` with 1 models: birefnet_image_background_removal_fp16; \d+ are not offered` + regexp.QuoteMeta(hint) + `$`)
	if err := p.await(&p.stdout, hint); err != nil {
		t.Error(err)
	}
	if out, _ := p.stdout.state(); !line.MatchString(out) {
		t.Errorf("it says %q, want %s", out, line)
	}
	why := "sam3_image_segment_bf16 is not offered: missing the file sam3_image_segment_bf16.safetensors in models/checkpoints\n"
	if level == "debug" {
		if err := p.await(&p.stderr, why); err != nil {
			t.Error(err)
		}
	}
	if err := p.await(&p.stderr, "birefnet_image_background_removal_fp16 is offered without its graph mine_mask: missing the file mask.safetensors in models/checkpoints\n"); err != nil {
		t.Error(err)
	}
	both := append(slices.Clone(*files.Load()), "sam3_image_segment_bf16.safetensors")
	files.Store(&both)
	p.signal(t, syscall.SIGHUP)
	select {
	case models := <-offered:
		if want := []string{"birefnet_image_background_removal_fp16", "sam3_image_segment_bf16"}; !slices.Equal(models, want) {
			t.Errorf("it offers %v, want %v", models, want)
		}
	case <-p.exited:
		t.Fatalf("it ended: %s", &p.stderr)
	}
	p.signal(t, syscall.SIGTERM)
	p.exits(t, 0)
	if errs := p.stderr.String(); level != "debug" && strings.Contains(errs, why) {
		t.Errorf("at the level %s it says %s", level, errs)
	}
}

// A graph for a model that no catalog has is named at the start, and so is the catalog that lacks
// a model.
func TestModelsWithoutACatalog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := "base: sdxl\nmodels:\n  - id: another_checkpoint\n    files: { checkpoint.ckpt_name: [another_v12.safetensors] }\n"
	if err := os.WriteFile(filepath.Join(dir, "another.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	known, err := catalog.Load("")
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	w := &workerCommand{Backend: "comfyui", Graphs: path(dir)}
	if _, err := w.library(known, terminal{err: &said}); err != nil {
		t.Fatal(err)
	}
	if got := said.String(); !strings.HasPrefix(got, "another_checkpoint: the graph is there, but no catalog has a model of this name: ") || strings.Count(got, "\n") != 1 {
		t.Errorf("it says %q", got)
	}
	refused := &client.Error{Status: 400, Message: `models[2] is neither a model of the catalog nor a tool that needs none: "another_checkpoint".`, Details: map[string]any{"field": "models[2]"}}
	if got := w.explain(refused).Error(); !strings.HasPrefix(got, "the catalog of the service has no model another_checkpoint, although that of this worker has") {
		t.Errorf("it says %q", got)
	}
}
