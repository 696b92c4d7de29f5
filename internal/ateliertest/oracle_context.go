package ateliertest

import (
	"fmt"
	"io"
	"net/http"
)

// tell answers questions about the model as a server of the oracle's kind does:
// the shapes are those of vLLM, llama.cpp and Ollama. One of no kind knows of
// none.
func (o *Oracle) tell(w http.ResponseWriter, r *http.Request) {
	answer := ""
	switch o.Kind + " " + r.Method + " " + r.URL.Path {
	case "vllm GET /v1/models":
		answer = fmt.Sprintf(`{"object": "list", "data": [{"id": %q, "object": "model", "created": 1763236800, "owned_by": "vllm", "root": "/models/%s",
			"parent": null, "max_model_len": %d, "permission": []}]}`, o.own(), o.own(), o.Context)
	case "llamacpp GET /v1/models":
		answer = `{"models": [], "object": "list", "data": [{"id": "../models/Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf", "object": "model", "created": 1735142223,
			"owned_by": "llamacpp", "meta": {"vocab_type": 2, "n_vocab": 128256, "n_ctx_train": 131072, "n_embd": 4096}}]}`
	case "llamacpp GET /props":
		answer = fmt.Sprintf(`{"default_generation_settings": {"id": 0, "id_task": -1, "n_ctx": %d, "speculative": false, "params": {"n_predict": -1}},
			"total_slots": 4, "model_path": "../models/Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf", "build_info": "b6000-1"}`, o.Context)
	case "ollama GET /v1/models":
		answer = fmt.Sprintf(`{"object": "list", "data": [{"id": %q, "object": "model", "created": 1686935002, "owned_by": "library"}]}`, o.own())
	case "ollama GET /api/ps":
		answer = `{"models": []}`
		if o.loaded.Load() {
			answer = fmt.Sprintf(`{"models": [{"name": %q, "model": %q, "size": 6591830464, "size_vram": 5333539264, "context_length": %d}]}`, o.own(), o.own(), o.Context)
		}
	case "ollama POST /api/show":
		answer = `{"parameters": "stop                           \"<|eot_id|>\"", "template": "{{ .Prompt }}", "details": {"family": "llama"},
			"model_info": {"general.architecture": "llama", "llama.context_length": 131072, "tokenizer.ggml.tokens": null}, "capabilities": ["completion", "tools"]}`
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, answer)
}

// own is the name that the server has for its model.
func (o *Oracle) own() string {
	if o.Upstream != "" {
		return o.Upstream
	}
	return o.ID
}
