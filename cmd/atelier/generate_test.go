package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeService is a service with the answers of a test. It has one workflow, wf_1.
func fakeService(t *testing.T, answers map[string]http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, ok := answers[r.Method+" "+strings.TrimPrefix(r.URL.Path, "/v1/creative-agent")]
		if !ok {
			t.Errorf("unexpected request %s %s", r.Method, r.URL)
			http.NotFound(w, r)
			return
		}
		answer(w, r)
	}))
	t.Cleanup(s.CloseClientConnections)
	t.Cleanup(s.Close)
	return s
}

// workflow answers with the workflow in a status.
func workflow(status string, artifacts ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		list := []any{}
		for _, url := range artifacts {
			list = append(list, map[string]any{"url": strings.ReplaceAll(url, "$HOST", r.Host)})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"status": "success", "data": map[string]any{
			"workflow": map[string]any{"workflowId": "wf_1", "status": status, "artifacts": list}}})
	}
}

// stream reports that the workflow has reached a status.
func stream(status string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(`event: workflow_status
data: {"workflowId": "wf_1", "status": "` + status + `", "waitingReason": "safety_review_required"}

`))
	}
}

func refuse(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

const (
	toStart  = "POST /workflows"
	toRead   = "GET /workflows/wf_1"
	toFollow = "GET /workflows/wf_1/events/stream"
	toCancel = "POST /workflows/wf_1/cancel"
	toFetch  = "GET /file.png"
)

// When a paid result cannot be saved, the error has its address.
func TestGenerateReportsWhatItCannotSave(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		answers map[string]http.HandlerFunc
		want    []string
	}{
		{"a download that fails", map[string]http.HandlerFunc{
			toStart: workflow("queued"), toFollow: stream("completed"), toRead: workflow("completed", "http://$HOST/file.png"), toFetch: refuse(403, ""),
		}, []string{"the service answered 403", "not saved; it is at http://$HOST/file.png"}},
		{"a download that is interrupted", map[string]http.HandlerFunc{
			toStart: workflow("queued"), toFollow: stream("completed"), toRead: workflow("completed", "http://$HOST/file.png"),
			toFetch: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", "1000")
				_, _ = w.Write([]byte("half"))
			},
		}, []string{"unexpected EOF", "not saved; it is at http://$HOST/file.png"}},
		{"a part of it", map[string]http.HandlerFunc{
			toStart: workflow("queued"), toFollow: stream("partial_failure"), toRead: workflow("partial_failure", "http://$HOST/a.png", "http://$HOST/b.png"),
		}, []string{"ended as partial_failure; its results so far: http://$HOST/a.png http://$HOST/b.png"}},
		{"cancelled by another client", map[string]http.HandlerFunc{
			toStart: workflow("queued"), toFollow: stream("cancelled"), toRead: workflow("cancelled"),
		}, []string{"ended as cancelled; see curl ", "/v1/creative-agent/workflows/wf_1"}},
		{"a pause of the content filter", map[string]http.HandlerFunc{
			toStart: workflow("queued"), toFollow: stream("waiting_for_user"),
			toCancel: refuse(200, `{"data": {"workflow": {"workflowId": "wf_1", "status": "cancelled", "events": [{"type": "step_waiting_for_user",
				"message": "The content filter paused this step: category nudity. Resume it with safe_content_filter false.",
				"payload": {"details": {"categories": ["nudity"], "help": "Resume it with safe_content_filter false."}}}]}}}`),
		}, []string{"atelier: The content filter paused this step: category nudity; change the prompt and try again, or add --unfiltered"}},
		{"another service", map[string]http.HandlerFunc{toStart: refuse(200, "<html>hello</html>")},
			[]string{"the server at http://$HOST is not this service, or one of another version: say where the service is with --url or ATELIER_URL"}},
		{"a page of another service", map[string]http.HandlerFunc{toStart: refuse(404, "<html>hello</html>")},
			[]string{"http://$HOST answered 404, but not in the form of this service: say where the service is with --url"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := fakeService(t, c.answers)
			file := filepath.Join(t.TempDir(), "fox.png")
			var out, errs strings.Builder
			code := run([]string{"generate", "image", "a fox", "--url", s.URL, "--api-key", "key", "-o", file}, &out, &errs)
			if code != 1 || out.String() != "" || strings.Count(errs.String(), "\n") != 1 {
				t.Errorf("got exit code %d, %q and %q, want 1 and one line", code, &out, &errs)
			}
			for _, want := range c.want {
				if want := strings.ReplaceAll(want, "$HOST", s.Listener.Addr().String()); !strings.Contains(errs.String(), want) {
					t.Errorf("got %q, want %q in it", &errs, want)
				}
			}
			if _, err := os.Stat(file); err == nil {
				t.Error("a file was left, incomplete or empty")
			}
		})
	}
}

// A service without TLS, called with https.
func TestGenerateWithTheWrongScheme(t *testing.T) {
	t.Parallel()
	s := fakeService(t, nil)
	var out, errs strings.Builder
	address := s.Listener.Addr().String()
	code := run([]string{"generate", "image", "a fox", "--url", "https://" + address, "--api-key", "key", "-o", "-"}, &out, &errs)
	if want := "does not serve HTTPS: try --url http://" + address; code != 1 || !strings.Contains(errs.String(), want) {
		t.Errorf("got exit code %d and %q, want 1 and %q", code, &errs, want)
	}
}
