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

// bounded serves with a limit on connections. A handler of /wait reports that it
// runs and waits until it is released.
func bounded(t *testing.T, limit int, isProxy bool) (c *connections, running, release chan struct{}) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	running, release = make(chan struct{}, limit), make(chan struct{})
	c = newConnections(l, limit, func(netip.Addr) bool { return isProxy }, slog.New(slog.DiscardHandler))
	server := &http.Server{ConnState: c.state, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			running <- struct{}{}
			<-release
		}
	})}
	go func() { _ = server.Serve(c) }()
	t.Cleanup(func() { server.Close() })
	return c, running, release
}

type asker struct {
	t *testing.T
	net.Conn
	answers *bufio.Reader
}

func connect(t *testing.T, c *connections) asker {
	t.Helper()
	conn, err := net.Dial("tcp", c.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
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
	c, _, _ := bounded(t, 3, true)
	var all []asker
	for range 10 {
		a := connect(t, c)
		a.send("/")
		a.answered()
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
	c, running, release := bounded(t, 2, true)
	for range 2 {
		connect(t, c).send("/wait")
		<-running
	}
	third := connect(t, c) // the system accepts it, the server does not yet
	third.send("/wait")
	c.mu.Lock()
	open := len(c.open)
	c.mu.Unlock()
	if open != 2 {
		t.Errorf("%d connections are open, want 2", open)
	}
	release <- struct{}{}
	<-running
	close(release)
	third.answered()
}

// One external client gets a part of all connections; a proxy may have all.
func TestConnectionsOfOneClient(t *testing.T) {
	t.Parallel()
	c, running, release := bounded(t, 8, false)
	defer close(release)
	for range 2 {
		connect(t, c).send("/wait")
		<-running
	}
	connect(t, c).ended()
	c, running, free := bounded(t, 8, true)
	defer close(free)
	for range 7 {
		connect(t, c).send("/wait")
		<-running
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
}
