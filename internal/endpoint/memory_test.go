package endpoint

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier/internal/wire"
)

// sized answers with how much of the shared memory its request holds.
func sized(c *Call, q echoRequest) (echoReply, error) {
	return echoReply{Model: fmt.Sprint(c.body.Held()), Count: int(c.values.Held())}, nil
}

// largeBody bounds a body of which one takes more than half of the memory for all.
var largeBody = wire.Bounds{Text: 4 << 20, Inline: 280 << 20}

// The memory of a body is held while its request is served, and not longer; small
// bodies take none.
func TestBodiesHoldMemory(t *testing.T) {
	t.Parallel()
	s := serverOf(io.Discard, line("POST", "/v1/x", Standard, wire.Lenient, NoKey, Handle(sized)))
	large := `{"model":"m","x":"` + strings.Repeat("x", 200<<10) + `","skipped":"` + strings.Repeat("x", 50<<10) + `"}`
	for _, tc := range []struct {
		name, body string
		length     int64 // announced
		model      string
		count      int
	}{
		{"small", `{"model":"m"}`, 13, "0", 0},
		{"large", large + strings.Repeat(" ", 8<<10), int64(len(large) + 8<<10), fmt.Sprint(len(large) + 8<<10 + 1), 0},
		{"longer than announced", large + strings.Repeat(" ", 8<<10), 10, "<any>", 0},
		{"full", `{"model":"m","x":[` + strings.Repeat("1,", 2000) + `1]}`, -1, "0", 2003 * 192},
	} {
		r := httptest.NewRequest("POST", "/v1/x", io.NopCloser(strings.NewReader(tc.body)))
		r.ContentLength = tc.length
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		want := fmt.Sprintf(`"model":"%s","count":%d,`, tc.model, tc.count)
		if tc.model == "<any>" {
			want = `"status":"success"`
		}
		if w.Code != 201 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: got %d %.300s, want %s", tc.name, w.Code, w.Body, want)
		}
	}
	if s.bodies.Used() != 0 || s.values.Used() != 0 {
		t.Errorf("still held: %d and %d", s.bodies.Used(), s.values.Used())
	}
}

// While others hold the memory a large body waits and is then told to come again;
// a small one does not notice.
func TestLargeBodiesWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := serverOf(io.Discard, line("POST", "/v1/x", Standard, wire.Lenient, NoKey, Handle(sized).UpTo(largeBody)))
		s.endStreams()
		if err := s.bodies.Acquire(t.Context(), "another", bodyShare(s.table)); err != nil {
			t.Fatal(err)
		}
		if err := s.bodies.Acquire(t.Context(), "a third", bodyMemory-bodyShare(s.table)-300<<10); err != nil {
			t.Fatal(err)
		}
		for _, announced := range []bool{true, false} {
			sent := strings.NewReader(`{"model":"m","x":"` + strings.Repeat("x", 800<<10) + `"}`)
			r := httptest.NewRequest("POST", "/v1/x", sent)
			r.Header.Set("Content-Type", "application/json")
			if !announced {
				r.ContentLength = -1
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
				t.Errorf("announced %v: got %d %s", announced, w.Code, w.Body)
			}
			if sent.Len() > 0 { // a client that sends everything before it reads would not learn of it
				t.Errorf("announced %v: %d bytes were left unread", announced, sent.Len())
			}
		}
		if w := send1(s, "POST", "/v1/x", "application/json", `{"model":"m"}`); w.Code != 201 {
			t.Errorf("a small body: got %d %s", w.Code, w.Body)
		}
	})
}

// A large answer is held too until it is read, and the deadline of its reader stays.
// An account that leaves too many unread gets no more.
func TestLargeAnswersHoldMemory(t *testing.T) {
	t.Parallel()
	s := serverOf(io.Discard, line("GET", "/v1/x", Standard, wire.Lenient, NoKey, Handle(func(c *Call, _ Empty) (echoReply, error) {
		return echoReply{Model: strings.Repeat("x", 1<<20)}, c.Reserve(1 << 20)
	}).UpTo(largeBody)))
	w := &slowWriter{ResponseRecorder: httptest.NewRecorder(), s: s}
	s.ServeHTTP(w, httptest.NewRequest("GET", "/v1/x", nil))
	if w.Code != 201 || w.held < 1<<20 || w.values != 0 || w.cleared {
		t.Errorf("got %d with %d bytes held and %d for values, the deadline cleared: %v", w.Code, w.held, w.values, w.cleared)
	}
	if s.bodies.Used() != 0 || s.values.Used() != 0 {
		t.Errorf("%d and %d bytes are still held", s.bodies.Used(), s.values.Used())
	}
	if err := s.bodies.Acquire(t.Context(), "", bodyShare(s.table)-1<<20); err != nil { // what the same account has not read
		t.Fatal(err)
	}
	refused := send1(s, "GET", "/v1/x", "", "")
	if refused.Code != http.StatusServiceUnavailable || refused.Header().Get("Retry-After") == "" || refused.Body.Len() > 1000 {
		t.Errorf("got %d %.200s", refused.Code, refused.Body)
	}
}

// slowWriter notes what is held while an answer is written, and whether its
// deadline is taken back.
type slowWriter struct {
	*httptest.ResponseRecorder
	s       *Server
	held    int64
	values  int64
	cleared bool
}

func (w *slowWriter) Write(b []byte) (int, error) {
	w.held, w.values = w.s.bodies.Used(), w.s.values.Used()
	return w.ResponseRecorder.Write(b)
}

func (w *slowWriter) SetWriteDeadline(at time.Time) error {
	w.cleared = w.cleared || at.IsZero()
	return nil
}

// A body that holds memory must keep its pace: little of much does not hold it for
// long, and what comes evenly has all the time there is.
func TestBodiesKeepTheirPace(t *testing.T) {
	t.Parallel()
	for have, want := range map[int64]time.Duration{0: idleTimeout, 1: idleTimeout, 50 << 20: (idleTimeout + bodyTimeout) / 2, 100 << 20: bodyTimeout, 200 << 20: bodyTimeout} {
		if got := timeFor(have, 100<<20); got.Round(time.Millisecond) != want {
			t.Errorf("after %d bytes: got %v, want %v", have, got, want)
		}
	}
}

// A body without an announced length takes memory as it grows, and is measured as
// it comes: the rest of what is too much is not kept.
func TestBodiesAreMeasuredWhileTheyCome(t *testing.T) {
	t.Parallel()
	s := serverOf(io.Discard, line("POST", "/v1/chat/completions", OpenAI, wire.Lenient, NoKey, Handle(sized).UpTo(wire.Bounds{Text: 1 << 20, Inline: 8 << 20, Single: 2 << 20})))
	for _, tc := range []struct {
		name, begin, each string
		status            int
		says              string
		most              int // bytes that may have been read
	}{
		{"values", `{"messages":[`, "{},", 400, `"param":"messages"`, 1 << 20},
		{"text", `{"messages":"`, "text", 413, "without its inline media", 2 << 20},
		{"one data URI", `{"messages":"data:`, "AAAA", 413, "data URI", 3 << 20},
		{"many data URIs", `{"messages":["`, `data:` + strings.Repeat("A", 1<<20) + `","`, 413, "inline media", 10 << 20},
		{"depth", ``, "[", 400, "nests deeper", 1 << 20},
	} {
		from := &endless{next: tc.begin, each: tc.each}
		r := httptest.NewRequest("POST", "/v1/chat/completions", from)
		r.ContentLength = -1
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != tc.status || !strings.Contains(w.Body.String(), tc.says) {
			t.Errorf("%s: got %d %s, want %d %s", tc.name, w.Code, w.Body, tc.status, tc.says)
		}
		if read := from.read - discardMost; read > tc.most {
			t.Errorf("%s: %d bytes were read", tc.name, from.read)
		}
	}
	if s.bodies.Used() != 0 {
		t.Errorf("%d bytes are still held", s.bodies.Used())
	}
}

// endless is a body that does not end.
type endless struct {
	next, each string
	read       int
}

func (e *endless) Read(b []byte) (n int, err error) {
	for n < len(b) {
		if e.next == "" {
			e.next = e.each
		}
		k := copy(b[n:], e.next)
		e.next = e.next[k:]
		n += k
	}
	e.read += n
	return n, nil
}
