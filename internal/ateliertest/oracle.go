package ateliertest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Oracle is a language model server that says what a test tells it, and
// remembers what it was asked.
type Oracle struct {
	*httptest.Server
	ID    string
	said  chan Answer
	asked chan []byte
	gone  chan struct{} // a reader left before the end
	goes  chan struct{}

	// What it reports about its model, and how: vllm, llamacpp or ollama. It must
	// be set before the server is asked.
	Kind     string
	Context  int
	Upstream string      // its own name of the model, when it is not the ID
	loaded   atomic.Bool // as Ollama's are by the first request
}

// Answer is one answer of an oracle.
type Answer struct {
	Pieces []Piece
	Usage  [3]int // tokens in, out, and of those in, cached
	Finish string // stop or tool_calls when empty
	Fail   int    // the HTTP status of a refusal
	Reason string // of the refusal
}

// Piece is a part of an answer: text, a thought, a call, which may come with text, or
// something that happens.
type Piece struct {
	Content, Thought string
	Call             *Call
	Wait, Break      bool
}

// Call is a tool call.
type Call struct {
	ID, Name, Arguments string
}

// NewOracle starts a model server.
func NewOracle(t testing.TB, id string) *Oracle {
	t.Helper()
	o := &Oracle{ID: id, said: make(chan Answer, 64), asked: make(chan []byte, 64), gone: make(chan struct{}, 64), goes: make(chan struct{}, 64)}
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { o.serve(t, w, r) }))
	t.Cleanup(func() {
		o.CloseClientConnections()
		o.Close()
	})
	return o
}

// Say is the next answer.
func (o *Oracle) Say(a Answer) { o.said <- a }

// Go lets an answer go on that waits.
func (o *Oracle) Go() { o.goes <- struct{}{} }

// Asked waits for the next request.
func (o *Oracle) Asked(t testing.TB) []byte {
	t.Helper()
	select {
	case q := <-o.asked:
		return q
	case <-time.After(patience):
		t.Fatalf("the model %s was not asked within %s", o.ID, patience)
		return nil
	}
}

// Left waits until a reader has left before the end of an answer.
func (o *Oracle) Left(t testing.TB) {
	t.Helper()
	select {
	case <-o.gone:
	case <-time.After(patience):
		t.Fatalf("no reader left the model %s within %s", o.ID, patience)
	}
}

func (o *Oracle) serve(t testing.TB, w http.ResponseWriter, r *http.Request) {
	embeds := r.URL.Path == "/v1/embeddings"
	hears := strings.HasPrefix(r.URL.Path, "/v1/audio/")
	if r.URL.Path != "/v1/chat/completions" && !embeds && !hears {
		o.tell(w, r)
		return
	}
	o.loaded.Store(true)
	var q struct {
		Stream bool
		Input  any
	}
	var raw []byte
	var err error
	if hears {
		raw, err = heard(r)
	} else {
		raw, err = io.ReadAll(r.Body)
	}
	if err == nil {
		err = json.Unmarshal(raw, &q)
	}
	if err != nil {
		t.Errorf("the model %s was asked with nonsense: %v", o.ID, err)
	}
	o.asked <- raw
	var a Answer
	select {
	case a = <-o.said:
	default:
		t.Errorf("the model %s has nothing to say to %.500s", o.ID, raw)
		a = Answer{Fail: http.StatusInternalServerError}
	}
	if a.Fail != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(a.Fail)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": a.Reason}})
		return
	}
	if embeds {
		o.embed(w, q.Input, a)
		return
	}
	if hears {
		a.write(w)
		return
	}
	if !q.Stream {
		o.whole(w, r, a)
		return
	}
	o.stream(w, r, a)
}

// embed answers with a vector for each text.
func (o *Oracle) embed(w http.ResponseWriter, input any, a Answer) {
	texts, several := input.([]any)
	if !several {
		texts = []any{input}
	}
	var data []map[string]any
	for i := range texts {
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": []float64{float64(i), 0.5}})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data, "model": o.ID, "usage": a.usage()})
}

func (a Answer) finish() string {
	if a.Finish != "" {
		return a.Finish
	}
	for _, p := range a.Pieces {
		if p.Call != nil {
			return "tool_calls"
		}
	}
	return "stop"
}

func (a Answer) usage() map[string]any {
	return map[string]any{
		"prompt_tokens": a.Usage[0], "completion_tokens": a.Usage[1], "prompt_tokens_details": map[string]any{"cached_tokens": a.Usage[2]},
	}
}

func (c Call) json(index int) map[string]any {
	return map[string]any{"index": index, "id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": c.Arguments}}
}

// pause waits for the test. It reports false when the reader has left.
func (o *Oracle) pause(r *http.Request) bool {
	select {
	case <-o.goes:
		return true
	case <-r.Context().Done():
		o.gone <- struct{}{}
		return false
	}
}

func (o *Oracle) whole(w http.ResponseWriter, r *http.Request, a Answer) {
	var content, thought strings.Builder
	var calls []any
	for _, p := range a.Pieces {
		if p.Wait && !o.pause(r) {
			return
		}
		if p.Break {
			panic(http.ErrAbortHandler)
		}
		content.WriteString(p.Content)
		thought.WriteString(p.Thought)
		if p.Call != nil {
			calls = append(calls, p.Call.json(len(calls)))
		}
	}
	message := map[string]any{"role": "assistant", "content": content.String()}
	if thought.Len() > 0 {
		message["reasoning_content"] = thought.String()
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": a.finish()}}, "usage": a.usage(),
	})
}

func (o *Oracle) stream(w http.ResponseWriter, r *http.Request, a Answer) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	flush := func() { _ = http.NewResponseController(w).Flush() }
	send := func(v any) {
		text, _ := json.Marshal(v) // plain maps
		fmt.Fprintf(w, "data: %s\n\n", text)
		flush()
	}
	delta := func(d map[string]any) { send(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": d}}}) }
	flush()
	calls := 0
	for _, p := range a.Pieces {
		switch {
		case p.Wait:
			if !o.pause(r) {
				return
			}
		case p.Break:
			panic(http.ErrAbortHandler)
		case p.Call != nil:
			d := map[string]any{"tool_calls": []any{p.Call.json(calls)}}
			if p.Content != "" {
				d["content"] = p.Content
			}
			delta(d)
			calls++
		case p.Thought != "":
			delta(map[string]any{"reasoning_content": p.Thought})
		default:
			delta(map[string]any{"content": p.Content})
		}
	}
	send(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": a.finish()}}})
	send(map[string]any{"choices": []any{}, "usage": a.usage()})
	fmt.Fprint(w, "data: [DONE]\n\n")
}
