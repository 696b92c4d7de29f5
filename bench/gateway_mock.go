package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// mockCommand makes this program the model server that gateways are measured
// against.
const mockCommand = "serve-mock"

// mockMark is how a message tells the mock what to answer: mock:BYTES:DELAY.,
// with the delay in milliseconds. Every gateway passes messages on, whatever it
// does with the names of models.
const mockMark = "mock:"

// mockText is the end of a message that asks for an answer.
func mockText(size int, delay time.Duration) string {
	return fmt.Sprintf("%s%d:%d.", mockMark, size, delay.Milliseconds())
}

// mockPiece is how much of an answer comes at once in a stream: some words.
const mockPiece = 32

// mockSentence is what answers are made of. It has what JSON must escape.
const mockSentence = "She said \"a lighthouse at dusk\", and the tide – slowly – came in.\n"

// mockContent is an answer of a size.
func mockContent(size int) string {
	text := strings.Repeat(mockSentence, size/len(mockSentence)+1)[:size]
	return strings.ToValidUTF8(text, ".")
}

// mock answers at once, or after a delay, with answers that it has at hand.
type mock struct{ answers sync.Map } // size → *mockAnswer

type mockAnswer struct {
	whole  []byte
	pieces [][]byte // of a stream
}

// serveMock serves until its input ends, and so with the process that started
// it.
func serveMock(listen string) {
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	log.Fatal(http.Serve(listener, &mock{}))
}

// startMock starts the mock in a separate process.
func startMock(ctx context.Context, listen string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, self, mockCommand, listen)
	if _, err := command.StdinPipe(); err != nil { // open as long as we live
		return nil, err
	}
	return start(command)
}

var mockBodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// ServeHTTP answers a chat completion; to all else it says that it lives.
func (m *mock) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"object":"list","data":[]}`)
		return
	}
	body := mockBodies.Get().(*bytes.Buffer)
	defer mockBodies.Put(body)
	body.Reset()
	if _, err := body.ReadFrom(r.Body); err != nil {
		return
	}
	size, delay, err := mockWish(body.Bytes())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a := m.answer(size)
	if bytes.Contains(body.Bytes(), []byte(`"stream":true`)) || bytes.Contains(body.Bytes(), []byte(`"stream": true`)) {
		a.stream(w, r, delay)
		return
	}
	if delay > 0 && sleep(r.Context(), delay) != nil {
		return
	}
	whole := a.whole
	if isEmbedding(r.URL.Path) {
		whole = mockVector
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(whole)))
	_, _ = w.Write(whole)
}

// mockVector is a vector of some length.
var mockVector = []byte(`{"object":"list","model":"mock","usage":{"prompt_tokens":9,"total_tokens":9},"data":[{"object":"embedding","index":0,"embedding":[` +
	strings.TrimSuffix(strings.Repeat("0.015625,", 384), ",") + `]}]}`)

// mockWish reads what a request asks for. The last mark counts.
func mockWish(body []byte) (size int, delay time.Duration, err error) {
	at := bytes.LastIndex(body, []byte(mockMark))
	if at < 0 {
		return 0, 0, errors.New("no message says what to answer")
	}
	text, _, _ := bytes.Cut(body[at+len(mockMark):], []byte("."))
	bytesText, delayText, _ := bytes.Cut(text, []byte(":"))
	if size, err = strconv.Atoi(string(bytesText)); err != nil {
		return 0, 0, err
	}
	ms, err := strconv.Atoi(string(delayText))
	return size, time.Duration(ms) * time.Millisecond, err
}

// mockSlices is in how many parts a delayed stream comes over its time.
const mockSlices = 10

// stream sends the pieces one by one, as model servers do. A delay is spread
// over them.
func (a *mockAnswer) stream(w http.ResponseWriter, r *http.Request, delay time.Duration) {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	slice := (len(a.pieces) + mockSlices - 1) / mockSlices
	for i, piece := range a.pieces {
		if delay > 0 && i%slice == slice-1 && sleep(r.Context(), delay/mockSlices) != nil {
			return
		}
		if _, err := w.Write(piece); err != nil {
			return
		}
		if out.Flush() != nil {
			return
		}
	}
}

// answer finds or makes the answer of a size.
func (m *mock) answer(size int) *mockAnswer {
	if a, ok := m.answers.Load(size); ok {
		return a.(*mockAnswer)
	}
	content := mockContent(size)
	a := &mockAnswer{}
	usage := map[string]int{"prompt_tokens": 20, "completion_tokens": size/4 + 1, "total_tokens": size/4 + 21}
	a.whole, _ = json.Marshal(map[string]any{
		"id": "chatcmpl-mock", "object": "chat.completion", "created": 1_750_000_000, "model": "mock",
		"choices": []any{map[string]any{"index": 0, "message": map[string]any{"role": "assistant", "content": content}, "finish_reason": "stop"}},
		"usage":   usage,
	})
	chunk := func(choices []any, usage any) {
		text, _ := json.Marshal(map[string]any{
			"id": "chatcmpl-mock", "object": "chat.completion.chunk", "created": 1_750_000_000, "model": "mock", "choices": choices, "usage": usage,
		})
		a.pieces = append(a.pieces, fmt.Appendf(nil, "data: %s\n\n", text))
	}
	delta := func(d map[string]any, reason any) {
		chunk([]any{map[string]any{"index": 0, "delta": d, "finish_reason": reason}}, nil)
	}
	delta(map[string]any{"role": "assistant", "content": ""}, nil)
	for rest := content; rest != ""; {
		n := min(mockPiece, len(rest))
		for n < len(rest) && rest[n]&0xC0 == 0x80 { // not within a letter
			n++
		}
		delta(map[string]any{"content": rest[:n]}, nil)
		rest = rest[n:]
	}
	delta(map[string]any{}, "stop")
	chunk([]any{}, usage)
	a.pieces = append(a.pieces, []byte("data: [DONE]\n\n"))
	kept, _ := m.answers.LoadOrStore(size, a)
	return kept.(*mockAnswer)
}
