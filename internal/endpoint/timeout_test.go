package endpoint

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier/internal/pipetest"
	"github.com/atelier-project/atelier/internal/wire"
)

// soon is the patience of a server under test with its clients; late is how long
// the test waits for it.
const (
	soon = 50 * time.Millisecond
	late = 2 * time.Minute
)

// listen serves a table to raw connections. It ends with the test.
func listen(t *testing.T, timeouts Timeouts, table ...Route) (*Server, string) {
	t.Helper()
	s := serverOf(io.Discard, table...)
	s.timeouts = timeouts.orDefault()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := s.HTTP()
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close() })
	return s, l.Addr().String()
}

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(late))
	return conn
}

// routesForTests are a route of each sort.
func routesForTests() []Route {
	return []Route{
		{"POST", "/v1/mine", Authenticated, Unlimited, Standard, wire.Strict, NoKey, 201, Handle(echo), "wants a credential"},
		{"POST", "/v1/ours", Public, Unlimited, Standard, wire.Strict, NoKey, 201, Handle(echo), "wants a body"},
		{"GET", "/v1/ours", Public, Unlimited, Standard, wire.Lenient, NoKey, 200, Handle(func(*Call, Empty) (Empty, error) { return Empty{}, nil }), "wants nothing"},
		{"DELETE", "/v1/ours", Public, Unlimited, Standard, wire.Lenient, NoKey, 200, Handle(func(*Call, Empty) (Empty, error) { return Empty{}, nil }), "wants nothing"},
		{"POST", "/v1/deaf", Public, Unlimited, Standard, wire.Lenient, NoKey, 200, Handle(func(*Call, Empty) (Empty, error) { return Empty{}, nil }), "reads nothing"},
		{"GET", "/v1/flow", Public, Unlimited, Verbatim, wire.Lenient, NoKey, 200, Stream(func(c *Call, _ struct{ Empty }) error {
			Follow(c, func(func(int, error) bool) {}, func(*EventStream, int) bool { return true })
			return nil
		}), "streams"},
	}
}

// A connection whose request announces a body that never comes ends soon,
// whatever the answer is.
func TestBodiesThatNeverComeEndTheConnection(t *testing.T) {
	t.Parallel()
	_, addr := listen(t, Timeouts{Unread: soon}, routesForTests()...)
	const (
		sized   = "Content-Length: 1000\r\n\r\n"
		large   = "Content-Length: 100000000\r\n\r\n"
		chunked = "Transfer-Encoding: chunked\r\n\r\n"
		partly  = "Content-Length: 1000\r\n\r\n{\"model\":"
		expects = "Expect: 100-continue\r\nContent-Length: 1000\r\n\r\n"
	)
	for _, tc := range []struct {
		head string
		rest string
		want string
	}{
		{"POST /v1/mine", sized, "401"},
		{"POST /v1/mine", large, "401"},
		{"POST /v1/mine", chunked, "401"},
		{"POST /v1/mine", partly, "401"},
		{"POST /v1/mine", expects, "401"},
		{"POST /v1/nowhere", sized, "404"},
		{"GET /v1/nowhere", sized, "400"},
		{"PATCH /v1/ours", sized, "405"},
		{"PUT //v1", chunked, "404"},
		{"POST /v1/deaf", sized, "200"},
		{"POST /v1/deaf", chunked, "200"},
		{"GET /v1/ours", sized, "400"},
		{"GET /v1/ours", large, "400"},
		{"GET /v1/ours", chunked, "400"},
		{"HEAD /v1/ours", sized, "400"},
		{"DELETE /v1/ours", sized, "400"},
		{"OPTIONS /v1/ours", sized, "400"},
		{"GET /v1/flow", sized, "400"},
	} {
		name := strings.ReplaceAll(tc.head+" "+strings.TrimSpace(tc.rest), "\r\n", " ")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := dial(t, addr)
			fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: x\r\n%s", tc.head, tc.rest)
			answer, err := io.ReadAll(conn)
			if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 "+tc.want+" ") {
				t.Errorf("got %.60q, %v; want %s and the end", answer, err, tc.want)
			}
		})
	}
}

// A refusal costs an honest client nothing: its connection serves the next
// request.
func TestRefusalsKeepTheConnection(t *testing.T) {
	t.Parallel()
	_, addr := listen(t, Timeouts{}, routesForTests()...)
	conn := dial(t, addr)
	answers := bufio.NewReader(conn)
	for _, tc := range []struct {
		head   string
		status int
	}{
		{"POST /v1/mine", 401}, {"POST /v1/nowhere", 404}, {"PATCH /v1/ours", 405}, {"POST /v1/ours", 400},
		{"GET /v1/ours", 200}, {"DELETE /v1/ours", 200}, {"POST /v1/deaf", 200}, {"GET /v1/ours", 200},
	} {
		fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}", tc.head)
		resp, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatalf("%s: %v", tc.head, err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		if resp.StatusCode != tc.status || resp.Close {
			t.Errorf("%s: got %d, close %t; want %d and the connection kept", tc.head, resp.StatusCode, resp.Close, tc.status)
		}
	}
}

// What comes with a method that takes no body is read up to a bound.
func TestIgnoredBodiesAreBounded(t *testing.T) {
	t.Parallel()
	s := serverOf(io.Discard, routesForTests()...)
	for size, want := range map[int]int{maxIgnoredBody: 200, maxIgnoredBody + 1: 413} {
		if w := send1(s, "GET", "/v1/ours", "", strings.Repeat("x", size)); w.Code != want {
			t.Errorf("%d bytes: got %d, want %d", size, w.Code, want)
		}
	}
}

// A client that does not take its answers is given up, however large or small
// they are.
func TestAnswersThatNobodyTakesEnd(t *testing.T) {
	t.Parallel()
	const buffer = 64 << 10 // of a connection, at each end
	large := strings.Repeat("x", 64*buffer)
	for name, h := range map[string]Handler{
		"json": Handle(func(*Call, Empty) (echoReply, error) { return echoReply{Model: large}, nil }),
		"text": Text(func(*Call, Empty) (string, error) { return large, nil }),
		"file": Write(AnyFile, func(w http.ResponseWriter, r *http.Request) error {
			http.ServeContent(w, r, "x", time.Time{}, strings.NewReader(large))
			return nil
		}),
		"small": Handle(func(*Call, Empty) (string, error) { return "x", nil }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serverOf(io.Discard, line("GET", "/v1/x", Standard, wire.Lenient, NoKey, h.UpTo(largeBody)))
			s.timeouts = Timeouts{Stall: soon}.orDefault()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{}, 1)
			server := s.HTTP()
			server.ConnState = func(c net.Conn, state http.ConnState) {
				switch state {
				case http.StateNew:
					_ = c.(*net.TCPConn).SetWriteBuffer(buffer)
				case http.StateClosed:
					ended <- struct{}{}
				}
			}
			go func() { _ = server.Serve(l) }()
			defer server.Close()
			conn := dial(t, l.Addr().String())
			_ = conn.(*net.TCPConn).SetReadBuffer(buffer)
			go func() { // one after the other, without an end, never reading
				for {
					if _, err := io.WriteString(conn, strings.Repeat("GET /v1/x HTTP/1.1\r\nHost: x\r\n\r\n", 100)); err != nil {
						return
					}
				}
			}()
			select {
			case <-ended:
			case <-time.After(late):
				t.Error("the connection is still open")
			}
		})
	}
}

// A reader that takes nothing is given up when the write of a frame has taken as
// long as it may: it holds nothing of the service longer. One that is slow stays.
func TestAStuckReaderIsGivenUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pause  time.Duration // between two reads
		frames int           // that are sent
		took   time.Duration
	}{
		"stuck": {time.Hour, 0, 20 * time.Second},
		"slow":  {14 * time.Second, 10, 10 * 14 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const most = 10
				sent, took := 0, time.Duration(0)
				s := serverOf(io.Discard, line("GET", "/v1/x", Verbatim, wire.Lenient, NoKey, Stream(func(c *Call, _ struct{ Empty }) error {
					began := time.Now()
					for out := c.OpenStream(); sent < most && out.Raw(": frame\n\n"); sent++ {
					}
					took = time.Since(began)
					return nil
				})))
				l := pipetest.Listen()
				server := s.HTTP()
				var served sync.WaitGroup
				served.Go(func() { _ = server.Serve(l) })
				conn, err := l.Dial(t.Context(), "", "")
				if err != nil {
					t.Fatal(err)
				}
				_, _ = io.WriteString(conn, "GET /v1/x HTTP/1.1\r\nHost: x\r\n\r\n")
				for range most {
					time.Sleep(c.pause)
					_, _ = conn.Read(make([]byte, 4<<10))
				}
				conn.Close()
				server.Close()
				served.Wait()
				synctest.Wait()
				if sent != c.frames || took != c.took {
					t.Errorf("%d frames were sent in %s, want %d in %s", sent, took, c.frames, c.took)
				}
			})
		})
	}
}
