package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// stream answers bit by bit, as model servers do.
func (s *server) stream(w http.ResponseWriter, r *http.Request, q request, p part) {
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	send := func(v any) {
		text, _ := json.Marshal(v)
		fmt.Fprintf(w, "data: %s\n\n", text)
		_ = flush.Flush()
	}
	chunk := func(delta object, finish any) {
		send(object{
			"id": "scripted", "object": "chat.completion.chunk", "created": 1, "model": q.Model,
			"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}},
		})
	}
	chunk(object{"role": "assistant", "content": ""}, nil)
	if p.endless {
		s.forever(r, p.key, func() { chunk(object{"content": "and "}, nil) })
		return
	}
	if p.thoughts != "" {
		chunk(object{"reasoning_content": p.thoughts}, nil)
	}
	fmt.Fprint(w, ": still here\n\n")
	for i, step := range p.steps {
		if i > 0 && !s.awaitNext(r, p.key) {
			return
		}
		chunk(object{"content": step}, nil)
	}
	for _, piece := range pieces(p.words) {
		if p.steps == nil {
			chunk(object{"content": piece}, nil)
		}
	}
	// One call after the other, its arguments in fragments that break off anywhere.
	for i, c := range p.calls {
		began := object{"index": i, "type": "function", "function": object{"name": c.name, "arguments": ""}}
		if c.id != "" {
			began["id"] = c.id
		}
		chunk(object{"tool_calls": []object{began}}, nil)
		for _, fragment := range pieces(c.arguments) {
			chunk(object{"tool_calls": []object{{"index": i, "function": object{"arguments": fragment}}}}, nil)
		}
	}
	switch {
	case p.breaks:
		send(broken)
		return
	case p.hangsUp:
		panic(http.ErrAbortHandler)
	}
	chunk(object{}, p.finish)
	if q.Options.Usage {
		send(object{"id": "scripted", "object": "chat.completion.chunk", "created": 1, "model": q.Model, "choices": []object{}, "usage": p.usage()})
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// forever speaks until the reader leaves.
func (s *server) forever(r *http.Request, key string, speak func()) {
	for tick := time.NewTicker(10 * time.Millisecond); ; {
		select {
		case <-r.Context().Done():
			close(s.left(key))
			return
		case <-tick.C:
			speak()
		}
	}
}

// pieces cuts a text as tokens would: through words and tags.
func pieces(text string) []string {
	var out []string
	for _, word := range strings.SplitAfter(text, " ") {
		runes := []rune(word)
		for len(runes) > 5 {
			out, runes = append(out, string(runes[:5])), runes[5:]
		}
		if len(runes) > 0 {
			out = append(out, string(runes))
		}
	}
	return out
}
