package node

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"time"
)

// server has a limit on connections.
type server struct {
	*connections
	running chan struct{} // gets a value when a request of /wait runs
	release chan struct{} // a request of /wait ends by a value of it
	idle    chan struct{} // gets a value when a connection has become idle
}

func serve(t *testing.T, limit int, isProxy bool) server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := server{
		connections: newConnections(l, limit, func(netip.Addr) bool { return isProxy }, slog.New(slog.DiscardHandler)),
		running:     make(chan struct{}, limit), release: make(chan struct{}), idle: make(chan struct{}, 32),
	}
	httpServer := &http.Server{
		Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/wait" {
				s.running <- struct{}{}
				<-s.release
			}
		}),
		ConnState: func(conn net.Conn, state http.ConnState) {
			s.state(conn, state)
			if state == http.StateIdle {
				s.idle <- struct{}{}
			}
		},
	}
	go func() { _ = httpServer.Serve(s) }()
	t.Cleanup(func() { httpServer.Close() })
	return s
}

type asker struct {
	t *testing.T
	net.Conn
	answers *bufio.Reader
}

func (s server) connect(t *testing.T) asker {
	t.Helper()
	conn, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(2 * time.Minute))
	return asker{t, conn, bufio.NewReader(conn)}
}

func (a asker) send(path string) { fmt.Fprintf(a, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path) }

func (a asker) answered() {
	a.t.Helper()
	resp, err := http.ReadResponse(a.answers, nil)
	if err != nil || resp.StatusCode != http.StatusOK {
		a.t.Errorf("got %v, %v; want 200", resp, err)
	}
}

// ended checks that the server has closed a connection.
func (a asker) ended() {
	a.t.Helper()
	if _, err := a.answers.ReadByte(); err != io.EOF {
		a.t.Errorf("got %v, want the end of the connection", err)
	}
}

// At the limit, the connection that has been idle longest is closed.
func TestIdleConnectionsAreClosed(t *testing.T) {
	t.Parallel()
	s := serve(t, 3, true)
	var all []asker
	for range 10 {
		a := s.connect(t)
		a.send("/")
		a.answered()
		<-s.idle // the client has its answer earlier
		all = append(all, a)
	}
	for _, a := range all[:7] {
		a.ended()
	}
	last := all[9]
	last.send("/")
	last.answered()
}

// Where all are busy, a new one waits until one of them ends.
func TestConnectionsWaitAtTheLimit(t *testing.T) {
	t.Parallel()
	s := serve(t, 2, true)
	for range 2 {
		s.connect(t).send("/wait")
		<-s.running
	}
	third := s.connect(t) // the system accepts it, the server does not yet
	third.send("/wait")
	s.mu.Lock()
	open := len(s.open)
	s.mu.Unlock()
	if open != 2 {
		t.Errorf("%d connections are open, want 2", open)
	}
	s.release <- struct{}{}
	<-s.running
	close(s.release)
	third.answered()
}

// One external client gets a part of all connections; a proxy may have all.
func TestConnectionsOfOneClient(t *testing.T) {
	t.Parallel()
	s := serve(t, 8, false)
	defer close(s.release)
	for range 2 {
		s.connect(t).send("/wait")
		<-s.running
	}
	s.connect(t).ended()
	proxied := serve(t, 8, true)
	defer close(proxied.release)
	for range 7 {
		proxied.connect(t).send("/wait")
		<-proxied.running
	}
}

func TestConnectionLimit(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		wanted int
		files  uint64
		want   int
	}{
		{32768, 1 << 20, 32768}, {32768, 65536, 32704}, {32768, 1024, 448}, {100, 65536, 100}, {32768, 64, 16}, {32768, 1 << 63, 32768},
	} {
		if got := connectionLimit(tc.wanted, tc.files); got != tc.want {
			t.Errorf("%d wanted, %d files: got %d, want %d", tc.wanted, tc.files, got, tc.want)
		}
	}
	for connections, want := range map[int]int{32768: 24576, 16: 12, 1: 1} {
		if got := streamLimit(connections); got != want {
			t.Errorf("of %d connections %d are for streams, want %d", connections, got, want)
		}
	}
}
