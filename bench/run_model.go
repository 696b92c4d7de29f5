package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/atelier-project/atelier/bench/load"
)

// The words that say to the model what to answer.
const (
	sayHello = "hello"
	sayTools = "tools" // calls a tool that answers at once, a number of times
	sayPaid  = "paid"  // calls a tool that costs something
	sayWords = "words" // writes words with pauses between them; a number follows
)

// toolAnswers is how many rounds of a run call a tool.
const toolAnswers = 20

// runModel is a model server that answers at once, and measures when it is asked again.
type runModel struct {
	mu   sync.Mutex
	last time.Time // when it has answered a call of a tool
	gaps []float64 // milliseconds

	began sync.Map // when the first word of an answer was sent, by the message
}

// serve serves in this process until stop is called.
func (m *runModel) serve() (url string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: m}
	go func() { _ = server.Serve(listener) }()
	return "http://" + listener.Addr().String(), func() { _ = server.Close() }, nil
}

// takeGaps returns the times from an answer to the next question since the last call.
func (m *runModel) takeGaps() []float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	gaps := m.gaps
	m.gaps = nil
	return gaps
}

func (m *runModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	came := time.Now()
	var q struct {
		Messages []struct {
			Role    string `json:"role"`
			Content any    `json:"content"`
		} `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	word, answers := "", 0
	for _, message := range q.Messages {
		switch message.Role {
		case "user":
			word = fmt.Sprint(message.Content)
		case "assistant":
			answers++
		}
	}
	if strings.Contains(word, sayWords) {
		m.write(w, word)
		return
	}
	message := map[string]any{"role": "assistant", "content": "Hello."}
	call := func(name, arguments string) {
		message["content"] = nil
		message["tool_calls"] = []any{map[string]any{
			"id": fmt.Sprintf("call_%d", answers), "type": "function", "function": map[string]any{"name": name, "arguments": arguments},
		}}
	}
	measured := false
	switch {
	case strings.Contains(word, sayTools):
		m.mu.Lock()
		if answers > 0 {
			m.gaps = append(m.gaps, load.Milliseconds(came.Sub(m.last)))
		}
		m.mu.Unlock()
		if measured = answers < toolAnswers; measured {
			call("list_workflows", `{"limit":1}`)
		}
	case strings.Contains(word, sayPaid):
		call("generate_image", `{"prompt":"a fox"}`)
	}
	reason := "stop"
	if message["tool_calls"] != nil {
		reason = "tool_calls"
	}
	body, err := json.Marshal(map[string]any{
		"id": "x", "object": "chat.completion", "model": "free",
		"choices": []any{map[string]any{"index": 0, "finish_reason": reason, "message": message}},
		"usage":   map[string]any{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if measured {
		m.mu.Lock()
		m.last = time.Now()
		m.mu.Unlock()
	}
	_, _ = w.Write(body)
}

// write answers in pieces.
func (m *runModel) write(w http.ResponseWriter, message string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for i := range 20 {
		if i == 0 {
			m.began.Store(message, time.Now())
		}
		_, _ = io.WriteString(w, `data: {"id":"x","object":"chat.completion.chunk","model":"free","choices":[{"index":0,"delta":{"content":"word "}}]}`+"\n\n")
		_ = http.NewResponseController(w).Flush()
		time.Sleep(10 * time.Millisecond)
	}
	_, _ = io.WriteString(w, `data: {"id":"x","object":"chat.completion.chunk","model":"free","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
}
