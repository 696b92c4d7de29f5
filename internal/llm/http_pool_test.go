package llm_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

const whole = `{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}]}`

// connections counts those of a server.
type connections struct{ opened, closed atomic.Int64 }

// counted is a server that counts its connections.
func counted(t *testing.T, answer http.HandlerFunc) (*llm.Upstream, *connections) {
	t.Helper()
	var n connections
	s := httptest.NewUnstartedServer(answer)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			n.opened.Add(1)
		case http.StateClosed:
			n.closed.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	u := llm.NewUpstream(llm.UpstreamOptions{BaseURL: s.URL + "/v1"})
	t.Cleanup(u.Close)
	return u, &n
}

// A connection serves one answer after the other, whole or streamed.
func TestConnectionsAreKept(t *testing.T) {
	t.Parallel()
	u, connections := counted(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), `"stream":true`) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, chunks)
			w.(http.Flusher).Flush()
			return
		}
		fmt.Fprint(w, whole)
	})
	for range 20 {
		if _, err := ask(t, u, false); err != nil {
			t.Fatal(err)
		}
	}
	if n := connections.opened.Load(); n != 1 {
		t.Errorf("20 whole answers took %d connections, want 1", n)
	}
	for range 20 {
		if a, err := ask(t, u, true); err != nil || a.Content != "Hello" {
			t.Fatalf("%+v, %v", a, err)
		}
		for u.IdleConns() == 0 && connections.closed.Load() < connections.opened.Load() { // the end of the stream is on its way
			runtime.Gosched()
		}
	}
	if n := connections.opened.Load(); n > 1+connections.closed.Load() {
		t.Errorf("20 streams after them took %d connections", n)
	}
}

// raw is a server that does with each connection what it is told, by its
// number.
func raw(t *testing.T, serve func(n int, in *bufio.Reader, out net.Conn)) *llm.Upstream {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for n := 1; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				serve(n, bufio.NewReader(c), c)
			}()
		}
	}()
	u := llm.NewUpstream(llm.UpstreamOptions{BaseURL: "http://" + l.Addr().String()})
	t.Cleanup(u.Close)
	return u
}

func read(in *bufio.Reader) bool {
	r, err := http.ReadRequest(in)
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, r.Body)
	return err == nil
}

func answer(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// A connection that the server has closed, or on which it has sent
// unrequested data, is not used again.
func TestConnectionsThatEnd(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]func(out net.Conn){
		"closed":   func(out net.Conn) { out.Close() },
		"babbling": func(out net.Conn) { io.WriteString(out, "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ended := make(chan struct{}, 8)
			u := raw(t, func(_ int, in *bufio.Reader, out net.Conn) {
				if read(in) {
					io.WriteString(out, answer(whole))
					after(out)
				}
				ended <- struct{}{}
				_, _ = io.Copy(io.Discard, in)
			})
			for range 3 {
				if a, err := ask(t, u, false); err != nil || a.Content != "ok" {
					t.Fatalf("%+v, %v", a, err)
				}
				<-ended
			}
		})
	}
}

func TestOddAnswers(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		says string
		ok   bool
	}{
		"early hints":   {"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + answer(whole), true},
		"until it ends": {"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + whole, true},
		"said to close": {"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + whole, true},
		"cut off":       {"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n" + whole, false},
		"no HTTP":       {"hello\r\n\r\n", false},
		"half a head":   {"HTTP/1.1 200 OK\r\nContent-", false},
		"endless head":  {"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 2<<20), false},
		"nothing":       {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := raw(t, func(_ int, in *bufio.Reader, out net.Conn) {
				if read(in) {
					io.WriteString(out, tc.says)
				}
			})
			for range 2 {
				a, err := ask(t, u, false)
				if tc.ok != (err == nil) || (tc.ok && a.Content != "ok") || (!tc.ok && !atelier.HasCode(err, atelier.CodeUpstream)) {
					t.Errorf("%+v, %v", a, err)
				}
			}
		})
	}
}

// A server that leads elsewhere is followed.
func TestRedirect(t *testing.T) {
	t.Parallel()
	u, _ := counted(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/chat/completions" {
			http.Redirect(w, r, "/v2", http.StatusTemporaryRedirect)
			return
		}
		var q struct{ Model string }
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || q.Model != "m" {
			t.Errorf("the request arrived as %+v, %v", q, err)
		}
		fmt.Fprint(w, whole)
	})
	if a, err := ask(t, u, false); err != nil || a.Content != "ok" {
		t.Errorf("%+v, %v", a, err)
	}
}

// A caller that leaves before the answer takes the connection with it.
func TestCallerLeavesWhileWaiting(t *testing.T) {
	t.Parallel()
	asked, gone := make(chan struct{}), make(chan struct{})
	u := raw(t, func(n int, in *bufio.Reader, out net.Conn) {
		if !read(in) {
			return
		}
		if n > 1 {
			io.WriteString(out, answer(whole))
			return
		}
		close(asked)
		_, _ = in.ReadByte()
		close(gone)
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	err := u.Complete(ctx, llm.Request{Model: llm.Model{ID: "m"}}, func(llm.Delta) error { return nil })
	if !errors.Is(err, context.Canceled) || !u.Ready() {
		t.Errorf("got %v, ready %v", err, u.Ready())
	}
	<-gone
	if a, err := ask(t, u, false); err != nil || a.Content != "ok" {
		t.Errorf("the next: %+v, %v", a, err)
	}
}

// Tools and parameters reach the server as they were given.
func TestToolsAreSent(t *testing.T) {
	t.Parallel()
	yes := true
	u := server(t, func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Tools []struct {
				Type     string
				Function struct {
					Name, Description string
					Parameters        map[string]any
					Strict            *bool
				}
			}
			Choice any     `json:"tool_choice"`
			Seed   float64 `json:"seed"`
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || len(q.Tools) != 3 || q.Choice != "auto" || q.Seed != 7 {
			t.Errorf("%+v, %v", q, err)
		} else if a, b, c := q.Tools[0].Function, q.Tools[1].Function, q.Tools[2].Function; a.Name != "a" || a.Parameters["type"] != "object" || b.Parameters != nil ||
			b.Description != `"b"` || c.Strict == nil || !*c.Strict || c.Parameters == nil {
			t.Errorf("tools %+v", q.Tools)
		}
		fmt.Fprint(w, whole)
	})
	err := u.Complete(t.Context(), llm.Request{Model: llm.Model{ID: "m"}, ToolChoice: []byte(`"auto"`), Params: map[string]wire.Raw{"seed": []byte("7")}, Tools: []llm.Tool{
		{Type: "function", Function: llm.Function{Name: "a", Parameters: []byte(`{"type":"object"}`)}},
		{Type: "function", Function: llm.Function{Name: "b", Description: `"b"`}},
		{Type: "function", Function: llm.Function{Name: "c", Parameters: []byte(`{}`), Strict: &yes}},
	}}, func(llm.Delta) error { return nil })
	if err != nil {
		t.Error(err)
	}
}

// An answer is put together from its pieces, and copies of it go their own way.
func TestAnswer(t *testing.T) {
	t.Parallel()
	var a llm.Answer
	for i := range 100 {
		a.Add(llm.Delta{Content: "ab", Reasoning: "c", ToolCalls: []llm.ToolCallDelta{{Index: i % 2, Arguments: "x"}}})
	}
	b := a
	a.Add(llm.Delta{Content: "1"})
	b.Add(llm.Delta{Content: "2"})
	a.Add(llm.Delta{Content: "3"})
	want := strings.Repeat("ab", 100)
	if a.Content != want+"13" || b.Content != want+"2" || a.Reasoning != strings.Repeat("c", 100) || a.ToolCalls[1].Function.Arguments != strings.Repeat("x", 50) {
		t.Errorf("got %q and %q, %q, %+v", a.Content, b.Content, a.Reasoning, a.ToolCalls)
	}
}
