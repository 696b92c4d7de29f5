package bare

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/atelier-project/atelier/bench/load"
)

// modelMark is how a message tells the mock what to answer: mock:BYTES:DELAY.,
// with the delay in milliseconds. Every gateway passes messages on, whatever it
// does with the names of models.
const modelMark = "mock:"

// ModelText is the end of a message that asks for an answer.
func ModelText(size int, delay time.Duration) string {
	return fmt.Sprintf("%s%d:%d.", modelMark, size, delay.Milliseconds())
}

// modelPiece is how much of an answer comes at once in a stream: some words.
const modelPiece = 32

// modelSentence is what answers are made of. It has what JSON must escape.
const modelSentence = "She said \"a lighthouse at dusk\", and the tide – slowly – came in.\n"

// ModelContent is an answer of a size.
func ModelContent(size int) string {
	text := strings.Repeat(modelSentence, size/len(modelSentence)+1)[:size]
	return strings.ToValidUTF8(text, ".")
}

// Model answers at once, or after a delay, with answers that it has at hand.
type Model struct{ answers sync.Map } // size → *modelAnswer

type modelAnswer struct {
	whole  []byte
	pieces [][]byte // of a stream
}

var modelBodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// ServeHTTP answers a chat completion; to all else it says which model it has.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"mock","object":"model","created":1750000000,"owned_by":"mock"}]}`)
		return
	}
	body := modelBodies.Get().(*bytes.Buffer)
	defer modelBodies.Put(body)
	body.Reset()
	if _, err := body.ReadFrom(r.Body); err != nil {
		return
	}
	size, delay, err := modelWish(body.Bytes())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a := m.answer(size)
	if bytes.Contains(body.Bytes(), []byte(`"stream":true`)) || bytes.Contains(body.Bytes(), []byte(`"stream": true`)) {
		a.stream(w, r, delay)
		return
	}
	if delay > 0 && load.Sleep(r.Context(), delay) != nil {
		return
	}
	whole := a.whole
	if strings.HasSuffix(r.URL.Path, "/embeddings") {
		whole = modelVector
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(whole)))
	_, _ = w.Write(whole)
}

// modelVector is a vector of some length.
var modelVector = []byte(`{"object":"list","model":"mock","usage":{"prompt_tokens":9,"total_tokens":9},"data":[{"object":"embedding","index":0,"embedding":[` +
	strings.TrimSuffix(strings.Repeat("0.015625,", 384), ",") + `]}]}`)

// modelWish reads what a request asks for. The last mark counts.
func modelWish(body []byte) (size int, delay time.Duration, err error) {
	at := bytes.LastIndex(body, []byte(modelMark))
	if at < 0 {
		return 0, 0, errors.New("no message says what to answer")
	}
	text, _, _ := bytes.Cut(body[at+len(modelMark):], []byte("."))
	bytesText, delayText, _ := bytes.Cut(text, []byte(":"))
	if size, err = strconv.Atoi(string(bytesText)); err != nil {
		return 0, 0, err
	}
	ms, err := strconv.Atoi(string(delayText))
	return size, time.Duration(ms) * time.Millisecond, err
}

// modelSlices is in how many parts a delayed stream comes over its time.
const modelSlices = 10

// stream sends the pieces one by one, as model servers do. A delay is spread
// over them.
func (a *modelAnswer) stream(w http.ResponseWriter, r *http.Request, delay time.Duration) {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	slice := (len(a.pieces) + modelSlices - 1) / modelSlices
	for i, piece := range a.pieces {
		if delay > 0 && i%slice == slice-1 && load.Sleep(r.Context(), delay/modelSlices) != nil {
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
func (m *Model) answer(size int) *modelAnswer {
	if a, ok := m.answers.Load(size); ok {
		return a.(*modelAnswer)
	}
	content := ModelContent(size)
	a := &modelAnswer{}
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
		n := min(modelPiece, len(rest))
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
	return kept.(*modelAnswer)
}
