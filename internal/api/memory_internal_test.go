package api

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// What fits is given at once; what does not waits until another releases its share, and for
// some time only.
func TestMemoryIsWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(100, 60)
		if err := m.acquire(t.Context(), "a", 60); err != nil {
			t.Fatal(err)
		}
		if err := m.acquireNow("b", 41); !atelier.HasCode(err, atelier.CodeUnavailable) {
			t.Errorf("there is no room, and got %v", err)
		}
		got := make(chan error, 1)
		go func() { got <- m.acquire(t.Context(), "b", 50) }()
		synctest.Wait()
		if err := m.acquireNow("c", 40); err != nil {
			t.Errorf("less than is waited for, and there is room: %v", err)
		}
		m.release("c", 40)
		m.release("a", 60)
		if err := <-got; err != nil {
			t.Errorf("there is room again: %v", err)
		}
		began := time.Now()
		err := m.acquire(t.Context(), "a", 51)
		if e, ok := err.(*atelier.Error); !ok || e.Code != atelier.CodeUnavailable || e.RetryAfter == 0 || time.Since(began) != memoryWait {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := m.acquire(ctx, "a", 51); err == nil {
			t.Error("whoever has left got memory")
		}
		m.release("b", 50)
		if m.used != 0 || len(m.held) != 0 || len(m.waiting) != 0 {
			t.Errorf("left over: %+v", m)
		}
	})
}

// An account has no more than its share, and one that sends much does not keep the
// others waiting: who would hold least is next.
func TestMemoryIsShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(100, 60)
		order := make(chan string, 10)
		ask := func(owner string, bytes int64) {
			go func() {
				if err := m.acquire(t.Context(), owner, bytes); err == nil {
					order <- fmt.Sprint(owner, bytes)
				}
			}()
			synctest.Wait()
		}
		for range 3 {
			ask("greedy", 30) // the third is over its share
		}
		ask("other", 40) // and does not keep this one waiting
		ask("greedy", 1)
		ask("third", 60)
		close := []string{<-order, <-order, <-order}
		if got := fmt.Sprint(close); got != "[greedy30 greedy30 other40]" {
			t.Errorf("got %s", got)
		}
		m.release("greedy", 30)
		synctest.Wait()
		m.release("other", 40)
		synctest.Wait()
		if got := <-order + " " + <-order; got != "greedy1 third60" {
			t.Errorf("next were %s, want those that hold least even then", got)
		}
	})
}

// Accounts that ask for nearly everything, one after the other, do not keep those
// waiting that want little, whether these wait or take more for what they hold.
func TestMuchDoesNotKeepLittleWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(100, 60)
		ask := func(owner string, bytes int64) {
			go func() { _ = m.acquire(t.Context(), owner, bytes) }()
			synctest.Wait()
		}
		ask("a", 60)
		for range 3 {
			ask("b", 60) // does not fit beside it
			ask("a", 60) // over its share
		}
		began := time.Now()
		if err := m.acquire(t.Context(), "honest", 10); err != nil || time.Since(began) > 0 {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		if err := m.acquireNow("honest", 10); err != nil {
			t.Error(err)
		}
		m.release("a", 60) // now b has its turn
		synctest.Wait()
		if m.held["b"] != 60 {
			t.Errorf("b holds %d", m.held["b"])
		}
		if err := m.acquireNow("honest", 10); err != nil {
			t.Error(err)
		}
		if err := m.acquireNow("another", 11); err == nil {
			t.Error("more was given than there is")
		}
	})
}

// sized answers with how much of the shared memory its request holds.
func sized(c *call, q echoRequest) (echoReply, error) {
	return echoReply{Model: fmt.Sprint(c.body.held), Count: int(c.values.held)}, nil
}

// The memory of a body is held while its request is served, and not longer; small
// bodies take none.
func TestBodiesHoldMemory(t *testing.T) {
	t.Parallel()
	s := serverOf(io.Discard, line("POST", "/v1/x", standard, wire.Lenient, ignored, handle(sized)))
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
	if s.bodies.used != 0 || s.values.used != 0 {
		t.Errorf("still held: %d and %d", s.bodies.used, s.values.used)
	}
}

// While others hold the memory a large body waits and is then told to come again;
// a small one does not notice.
func TestLargeBodiesWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := serverOf(io.Discard, line("POST", "/v1/x", standard, wire.Lenient, ignored, handle(sized)))
		s.endStreams()
		if err := s.bodies.acquire(t.Context(), "another", s.bodies.share); err != nil {
			t.Fatal(err)
		}
		if err := s.bodies.acquire(t.Context(), "a third", s.bodies.size-s.bodies.share-300<<10); err != nil {
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
	s := serverOf(io.Discard, line("GET", "/v1/x", standard, wire.Lenient, ignored, handle(func(c *call, _ empty) (echoReply, error) {
		return echoReply{Model: strings.Repeat("x", 1<<20)}, c.values.reserve(c, 1<<20)
	})))
	w := &slowWriter{ResponseRecorder: httptest.NewRecorder(), s: s}
	s.ServeHTTP(w, httptest.NewRequest("GET", "/v1/x", nil))
	if w.Code != 201 || w.held < 1<<20 || w.values != 0 || w.cleared {
		t.Errorf("got %d with %d bytes held and %d for values, the deadline cleared: %v", w.Code, w.held, w.values, w.cleared)
	}
	if s.bodies.used != 0 || s.values.used != 0 {
		t.Errorf("%d and %d bytes are still held", s.bodies.used, s.values.used)
	}
	if err := s.bodies.acquire(t.Context(), "", s.bodies.share-1<<20); err != nil { // what the same account has not read
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
	w.held, w.values = w.s.bodies.used, w.s.values.used
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
	s := serverOf(io.Discard, line("POST", "/v1/chat/completions", openAI, wire.Lenient, ignored, handle(sized).upTo(wire.Bounds{Text: 1 << 20, Inline: 8 << 20, Single: 2 << 20})))
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
	if s.bodies.used != 0 {
		t.Errorf("%d bytes are still held", s.bodies.used)
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

// A request that takes as much as several leaves less to others.
func TestTakeMore(t *testing.T) {
	t.Parallel()
	l, now := newLimiter(10, false), time.Now()
	for _, more := range []int{0, 4, 3} { // with the one that each takes: 1, 5, 4
		if err := l.take("a", now); err != nil {
			t.Fatal(err)
		}
		if err := l.takeMore("a", now, more); err != nil {
			t.Fatalf("%d more: %v", more, err)
		}
	}
	if err := l.take("a", now); err == nil {
		t.Error("an eleventh was let through")
	}
	later := now.Add(30 * time.Second) // five more
	if err := l.take("a", later); err != nil {
		t.Fatal(err)
	}
	err := l.takeMore("a", later, 5)
	if e, ok := err.(*atelier.Error); !ok || e.Code != atelier.CodeRateLimited || e.RetryAfter != 6*time.Second {
		t.Errorf("got %v", err)
	}
	if err := l.take("b", now); err != nil {
		t.Fatal(err)
	}
	if err := l.takeMore("b", now, 1000); err != nil {
		t.Errorf("more than a minute's worth takes all there is: %v", err)
	}
}
