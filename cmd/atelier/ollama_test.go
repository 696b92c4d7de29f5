//go:build unix

package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// startOllama starts a stand-in of an Ollama with one model, for the guide that connects one.
func startOllama(t *testing.T) (url string) {
	t.Helper()
	answers := map[string]string{
		"/v1/models": `{"object": "list", "data": [{"id": "qwen3:8b", "object": "model", "created": 1686935002, "owned_by": "library"}]}`,
		"/api/ps":    `{"models": [{"name": "qwen3:8b", "model": "qwen3:8b", "context_length": 32768}]}`,
		"/api/show": `{"parameters": "", "model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40960},
			"capabilities": ["completion", "tools", "thinking"]}`,
		"/v1/chat/completions": `data: {"choices": [{"index": 0, "delta": {"content": "Snow falls on red fur."}}]}

data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}

data: {"choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 7, "total_tokens": 907}}

data: [DONE]

`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, ok := answers[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/v1/chat/completions" {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
