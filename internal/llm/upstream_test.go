package llm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/llm"
)

// server answers with a function.
func server(t *testing.T, answer http.HandlerFunc, set ...func(*llm.UpstreamOptions)) *llm.Upstream {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // only then does the server notice a client that leaves
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	o := llm.UpstreamOptions{Name: "test", BaseURL: s.URL + "/v1/", APIKey: "secret", IDs: map[string]string{"m": "theirs"}}
	for _, f := range set {
		f(&o)
	}
	u := llm.NewUpstream(o)
	t.Cleanup(u.Close)
	return u
}

func ask(t *testing.T, s llm.Completer, stream bool) (llm.Answer, error) {
	t.Helper()
	var a llm.Answer
	err := s.Complete(t.Context(), llm.Request{Model: llm.Model{ID: "m"}, Stream: stream, MaxTokens: 9,
		Messages: []llm.Message{llm.Text("user", "hi"), {Role: "user", Content: []llm.Part{{Type: "text", Text: "see"}, {Type: "image_url", Image: llm.Image{Type: "image/png", Data: []byte("x?>")}, Detail: "low"}}}}},
		func(d llm.Delta) error { a.Add(d); return nil })
	return a, err
}

const chunks = "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Hel\"}}]}\n\n" +
	": keepalive\n\n" +
	"data:{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo\",\"reasoning_content\":\"hm\"}}]}\r\n\r\n" +
	"data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\"\"}}]}}]}\n\n" +
	"data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\":1}\"}}]}}]}\n\n" +
	"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n" +
	"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3,\"prompt_tokens_details\":{\"cached_tokens\":2}}}\n\n" +
	"data: [DONE]\n\n"

// A stream is the same however its bytes arrive.
func TestUpstreamStream(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 7, 64, len(chunks)} {
		u := server(t, func(w http.ResponseWriter, r *http.Request) {
			var q map[string]any
			_ = json.NewDecoder(r.Body).Decode(&q)
			if q["model"] != "theirs" || q["stream"] != true || q["max_tokens"] != 9.0 || r.Header.Get("Authorization") != "Bearer secret" || r.URL.Path != "/v1/chat/completions" {
				t.Errorf("asked %v at %s", q, r.URL.Path)
			}
			if m := q["messages"].([]any); fmt.Sprint(m[0]) != "map[content:hi role:user]" || !strings.Contains(fmt.Sprint(m[1]), "map[detail:low url:data:image/png;base64,eD8+]") {
				t.Errorf("messages %v", m)
			}
			w.Header().Set("Content-Type", "text/event-stream")
			for rest := chunks; rest != ""; rest = rest[min(size, len(rest)):] {
				fmt.Fprint(w, rest[:min(size, len(rest))])
				w.(http.Flusher).Flush()
			}
		})
		a, err := ask(t, u, true)
		if err != nil || a.Content != "Hello" || a.Reasoning != "hm" || a.FinishReason != "tool_calls" || len(a.ToolCalls) != 1 ||
			a.ToolCalls[0].Function.Arguments != `{"a":1}` || a.Usage != (llm.Usage{PromptTokens: 7, CompletionTokens: 3, CachedTokens: 2}) {
			t.Errorf("in pieces of %d: %+v, %v", size, a, err)
		}
	}
}

func TestUpstreamWhole(t *testing.T) {
	t.Parallel()
	u := server(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"choices":[{"index":0,"message":{"content":"Hello","tool_calls":[{"id":"c","function":{"name":"f","arguments":{"a":1}}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}`)
	})
	a, err := ask(t, u, false)
	if err != nil || a.Content != "Hello" || a.ToolCalls[0].Function.Arguments != `{"a":1}` || a.Usage.CompletionTokens != 3 {
		t.Errorf("%+v, %v", a, err)
	}
}

// What goes wrong is told as what it means to the caller, without the key.
func TestUpstreamFailures(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		code   atelier.Code
		says   string
	}{
		"the caller's fault": {func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, `{"error":{"message":"temperature is too hot"}}`, 400)
		}, atelier.CodeInvalidRequest, "temperature is too hot"},
		"a plain refusal": {func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, `{"error":"no"}`, http.StatusUnprocessableEntity)
		}, atelier.CodeInvalidRequest, "no"},
		"a wrong key":   {func(w http.ResponseWriter, r *http.Request) { http.Error(w, "secret", http.StatusUnauthorized) }, atelier.CodeUpstream, "(401)"},
		"its own fault": {func(w http.ResponseWriter, r *http.Request) { http.Error(w, "oops", 500) }, atelier.CodeUpstream, "(500)."},
		"a reason": {func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, `{"error":{"message":"CUDA out\nof memory."}}`, 500)
		}, atelier.CodeUpstream, "(500): CUDA out of memory."},
		"a detail": {func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, `{"detail":"no such model"}`, 404)
		}, atelier.CodeUpstream, "(404): no such model."},
		"a reason about the key": {func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, `{"error":"secret"}`, http.StatusForbidden)
		}, atelier.CodeUpstream, "(403)."},
		"too slow inside": {func(w http.ResponseWriter, r *http.Request) { http.Error(w, "", http.StatusGatewayTimeout) }, atelier.CodeUpstreamTimeout, "in time"},
		"too slow to begin": {func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		}, atelier.CodeUpstreamTimeout, "in time"},
		"too slow to go on": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, atelier.CodeUpstreamTimeout, "in time"},
		"not JSON":  {func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<html>") }, atelier.CodeUpstream, "invalid answer"},
		"no choice": {func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "{}") }, atelier.CodeUpstream, "invalid answer"},
		"a bad chunk": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {\n\n")
		}, atelier.CodeUpstream, "invalid answer"},
		"cut off": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n")
		}, atelier.CodeUpstream, "before it was done"},
		"nothing": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {\"object\":\"error\",\"message\":\"oom\"}\n\ndata: [DONE]\n\n")
		}, atelier.CodeUpstream, "nothing in it"},
		"an error in the stream": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {\"error\":{\"message\":\"oom\"}}\n\n")
		}, atelier.CodeUpstream, "with an error: oom."},
		"a call from nowhere": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":-1}]}}]}\n\n")
		}, atelier.CodeUpstream, "out of order"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ask(t, server(t, tc.answer, func(o *llm.UpstreamOptions) {
				switch name { // the others have the usual minutes
				case "too slow to begin":
					o.First = time.Millisecond
				case "too slow to go on":
					o.Idle = time.Millisecond
				}
			}), true)
			if !atelier.HasCode(err, tc.code) || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v, want %s that says %q", err, tc.code.Slug, tc.says)
			}
		})
	}
}

// What the caller does wrong is not the server's fault.
func TestUpstreamStopsWithItsCaller(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	u := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n")
			w.(http.Flusher).Flush()
		}
		close(left)
	})
	enough := errors.New("enough")
	err := llm.NewRouter(u).Complete(t.Context(), llm.Request{Model: llm.Model{ID: "m"}, Stream: true}, func(llm.Delta) error { return enough })
	if !errors.Is(err, enough) || !u.Ready() {
		t.Errorf("got %v, ready %v", err, u.Ready())
	}
	<-left // the connection was closed
}

// Another server is asked as long as nothing was heard, and never after.
func TestRouter(t *testing.T) {
	t.Parallel()
	var bad, good atomic.Int64
	broken := server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost { // not a probe
			bad.Add(1)
		}
		http.Error(w, "", http.StatusServiceUnavailable)
	})
	fine := server(t, func(w http.ResponseWriter, r *http.Request) {
		good.Add(1)
		fmt.Fprint(w, `{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}]}`)
	})
	router := llm.NewRouter(broken, fine)
	for range 8 {
		if a, err := ask(t, router, false); err != nil || a.Content != "ok" {
			t.Fatalf("%+v, %v", a, err)
		}
	}
	// After three failures in a row the broken one is left alone.
	if bad.Load() != 3 || good.Load() != 8 || broken.Ready() || !fine.Ready() {
		t.Errorf("%d to the broken one, %d to the other, ready %v %v", bad.Load(), good.Load(), broken.Ready(), fine.Ready())
	}
	var asked atomic.Int64
	half := server(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n")
	})
	if _, err := ask(t, llm.NewRouter(half), true); !atelier.HasCode(err, atelier.CodeUpstream) || asked.Load() != 1 {
		t.Errorf("%v after %d tries: what was heard cannot be unheard", err, asked.Load())
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	u := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, chunks)
	})
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			if a, err := ask(t, u, true); err != nil || a.Content != "Hello" {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
	wg.Wait()
}

// FuzzStream feeds a server's bytes: any answer or an error, never a panic.
func FuzzStream(f *testing.F) {
	f.Add(chunks, true)
	f.Add(`{"choices":[{"message":{"content":"x"}}]}`, false)
	f.Fuzz(func(t *testing.T, body string, stream bool) {
		u := server(t, func(w http.ResponseWriter, r *http.Request) {
			if stream {
				w.Header().Set("Content-Type", "text/event-stream")
			}
			fmt.Fprint(w, body)
		})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		var a llm.Answer
		_ = u.Complete(ctx, llm.Request{Model: llm.Model{ID: "m"}, Stream: stream}, func(d llm.Delta) error { a.Add(d); return nil })
		for _, c := range a.ToolCalls {
			if c.Type != "function" {
				t.Errorf("a call of type %q", c.Type)
			}
		}
	})
}

func BenchmarkStream(b *testing.B) {
	var text strings.Builder
	for range 100 {
		text.WriteString("data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word \"},\"finish_reason\":null}]}\n\n")
	}
	body := text.String() + "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, body)
	}))
	defer s.Close()
	u := llm.NewUpstream(llm.UpstreamOptions{BaseURL: s.URL})
	b.ReportAllocs()
	for b.Loop() {
		if err := u.Complete(b.Context(), llm.Request{Model: llm.Model{ID: "m"}, Stream: true}, func(llm.Delta) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

// An answer in very many pieces takes memory in proportion to its size. The test is not parallel: it counts what is
// allocated.
func TestManyPieces(t *testing.T) {
	const pieces, size = 20_000, 100
	piece := strings.Repeat("x", size)
	list := func(one, sep string) string { return strings.TrimSuffix(strings.Repeat(one+sep, pieces), sep) }
	call := `{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"` + piece + `"}}]}}`
	for name, test := range map[string]struct{ kind, contentType, answer string }{
		"blocks":  {"anthropic", "application/json", `{"content":[` + list(`{"type":"text","text":"`+piece+`"}`, ",") + `],"stop_reason":"end_turn"}`},
		"thought": {"anthropic", "application/json", `{"content":[` + list(`{"type":"thinking","thinking":"`+piece+`"}`, ",") + `],"stop_reason":"end_turn"}`},
		"choices": {"openai", "application/json", `{"choices":[` + list(`{"message":{"content":"`+piece+`","reasoning":"`+piece+`"},"finish_reason":"stop"}`, ",") + `]}`},
		"names":   {"openai", "text/event-stream", list(`data: {"choices":[`+call+"]}\n\n", "") + "data: [DONE]\n\n"},
	} {
		u := server(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", test.contentType)
			_, _ = io.WriteString(w, test.answer)
		}, func(o *llm.UpstreamOptions) { o.Kind = test.kind })
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		a, err := ask(t, u, false)
		runtime.ReadMemStats(&after)
		got := len(a.Content) + len(a.Reasoning)
		for _, c := range a.ToolCalls {
			got += len(c.Function.Name)
		}
		if err != nil || got < pieces*size {
			t.Errorf("%s: %d bytes, %v", name, got, err)
		}
		if n := (after.TotalAlloc - before.TotalAlloc) >> 20; n > 300 {
			t.Errorf("%s: %d MiB for an answer of %d MiB", name, n, len(test.answer)>>20)
		}
	}
}
