package llm_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/llm"
)

func TestProbe(t *testing.T) {
	t.Parallel()
	const models = `{"data": [{"id": "llama3.2:3b"}, {"id": "nomic-embed-text"}, {"id": "bge"}]}`
	ollama := map[string]string{
		"/v1/models": models, "/api/ps": `{"models": []}`,
		"/api/show": `{"parameters": "num_ctx 8192", "capabilities": ["completion", "tools", "vision", "thinking"]}`,
	}
	for name, c := range map[string]struct {
		answers map[string]string // by path
		status  int               // of other paths
		path    string            // of the address
		key     string
		want    []llm.Offered
		at      string
		err     string
	}{
		"Ollama, without /v1": {answers: ollama, status: 404, want: []llm.Offered{{"llama3.2:3b", 8192, true, true}, {"bge", 8192, true, true}}, at: "/v1"},
		"vLLM": {answers: map[string]string{"/v1/models": `{"data": [{"id": "qwen", "max_model_len": 40960}]}`}, status: 404, path: "/v1/",
			want: []llm.Offered{{ID: "qwen", ContextLength: 40960}}, at: "/v1"},
		"llama.cpp": {answers: map[string]string{"/v1/models": `{"data": [{"id": "m"}]}`, "/props": `{"default_generation_settings": {"n_ctx": 4096}}`}, status: 404, path: "/v1",
			want: []llm.Offered{{ID: "m", ContextLength: 4096}}, at: "/v1"},
		"a list at the root":  {answers: map[string]string{"/models": `{"data": [{"id": "m"}]}`}, status: 404, want: []llm.Offered{{ID: "m"}}, at: ""},
		"no model":            {answers: map[string]string{"/v1/models": `{"data": []}`}, status: 404, path: "/v1", at: "/v1"},
		"something else":      {answers: map[string]string{"/v1/models": `<html>`, "/models": `{"models": 1}`}, path: "/v1", err: "is not a list of models"},
		"nothing there":       {status: 404, path: "/api", err: "there is no list of models at"},
		"it wants a key":      {status: 401, err: "wants an API key"},
		"it refuses the key":  {status: 401, key: "wrong", err: "refuses the API key"},
		"it redirects":        {status: 307, err: "redirects to another address"},
		"it is out of order":  {status: 503, err: "it answers 503"},
		"a list without end":  {answers: map[string]string{"/v1/models": `{"data": [` + strings.Repeat(`{"id": "m"},`, 200_000)}, path: "/v1", err: "more than 1048576 bytes"},
		"ids that are no ids": {answers: map[string]string{"/v1/models": `{"data": [{"id": ""}, {"id": 7}, {"id": "` + strings.Repeat("x", 300) + `"}, {"id": "m"}]}`}, status: 404, path: "/v1", want: []llm.Offered{{ID: "m"}}, at: "/v1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				t.Errorf("the redirect was followed to %s with %q", r.URL, r.Header.Get("Authorization"))
			}))
			t.Cleanup(elsewhere.Close)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if answer, ok := c.answers[r.URL.Path]; ok {
					fmt.Fprint(w, answer)
					return
				}
				w.Header().Set("Location", elsewhere.URL)
				w.WriteHeader(max(c.status, 200))
			}))
			t.Cleanup(server.Close)
			got, at, err := llm.Probe(t.Context(), "", server.URL+c.path, c.key)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) || c.key != "" && strings.Contains(err.Error(), c.key) {
					t.Fatalf("got %v, want %q", err, c.err)
				}
				return
			}
			if err != nil || !slices.Equal(got, c.want) || at != server.URL+c.at {
				t.Errorf("got %+v at %s, %v, want %+v", got, at, err, c.want)
			}
		})
	}
	if _, _, err := llm.Probe(t.Context(), "", "http://127.0.0.1:1", ""); err == nil || !strings.Contains(err.Error(), "no server answers at http://127.0.0.1:1") {
		t.Errorf("no server there: got %v", err)
	}
}
