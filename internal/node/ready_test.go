package node_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/pipetest"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// ready asks a node until it is ready with all parts, when broken is empty, or until it
// names the broken part: without the bus it is ready and degraded, without another it is not
// ready. No signal says when a node notices, so this polls.
func ready(t *testing.T, s *ateliertest.Service, broken string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		status, body := s.Get(t, "/readyz", "")
		switch {
		case broken == "" && status == http.StatusOK && strings.Contains(body, `"status":"ok"`),
			broken == "bus" && status == http.StatusOK && strings.Contains(body, `{"status":"degraded","parts":{"bus":"failing","database":"ok","storage":"ok"}}`):
			return
		case broken == "bus" && status != http.StatusOK:
			t.Fatalf("got %d without the bus, want 200: %s", status, body)
		case broken != "" && status == http.StatusServiceUnavailable:
			if !strings.Contains(body, "Not answering: "+broken+".") || !strings.Contains(body, `"`+broken+`":"failing"`) {
				t.Fatalf("the answer does not name the %s alone: %s", broken, body)
			}
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("it stays at %d: %s", status, body)
		}
	}
}

// alive checks that a node that is not ready still runs.
func alive(t *testing.T, s *ateliertest.Service) {
	t.Helper()
	if status, body := s.Get(t, "/healthz", ""); status != http.StatusOK {
		t.Errorf("/healthz: got %d, want 200: %s", status, body)
	}
}

func TestReadinessNamesTheBus(t *testing.T) {
	t.Parallel()
	nats := natsServer(t)
	proxy := pipetest.NewProxy(t, "tcp", nats.Addr().String())
	s := ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) {
		c.NATSURL, c.SessionSecret = "nats://"+proxy.Addr(), oldSecret
	})
	ready(t, s, "")
	proxy.PointAt("")
	stop(nats)
	ready(t, s, "bus")
	alive(t, s)
	if _, metrics := s.Get(t, "/metrics", ""); !strings.Contains(metrics, "\natelier_bus_connected 0\n") {
		t.Error("the metrics do not say that the bus is lost")
	}
	proxy.PointAt(natsServer(t).Addr().String())
	ready(t, s, "")
	if _, metrics := s.Get(t, "/metrics", ""); !strings.Contains(metrics, "\natelier_bus_connected 1\n") {
		t.Error("the metrics do not say that the bus is back")
	}
}

// A node starts while NATS is away, and connects when it is there.
func TestStartWithoutNATS(t *testing.T) {
	t.Parallel()
	proxy := pipetest.NewProxy(t, "tcp", "")
	s := ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) {
		c.NATSURL, c.SessionSecret = "nats://"+proxy.Addr(), oldSecret
	})
	ready(t, s, "bus")
	proxy.PointAt(natsServer(t).Addr().String())
	ready(t, s, "")
}

func TestReadinessNamesTheStorage(t *testing.T) {
	t.Parallel()
	o := storetest.SQLite(t)
	s := ateliertest.Start(t, o)
	ready(t, s, "")
	temp := filepath.Join(filepath.Dir(o.Path), "media", "tmp")
	if err := os.RemoveAll(temp); err != nil {
		t.Fatal(err)
	}
	ready(t, s, "storage")
	alive(t, s)
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	ready(t, s, "")
	if err := os.RemoveAll(filepath.Join(filepath.Dir(o.Path), "media")); err != nil {
		t.Fatal(err)
	}
	ready(t, s, "storage")
}

func TestReadinessNamesTheDatabase(t *testing.T) {
	t.Parallel()
	proxy := newSwitchedProxy(t, storetest.Postgres(t))
	s := ateliertest.Start(t, proxy.options)
	ready(t, s, "")
	proxy.shut()
	ready(t, s, "database")
	alive(t, s)
	proxy.open(t)
	ready(t, s, "")
}

// switchedProxy is a proxy for a PostgreSQL server that tests close and open.
type switchedProxy struct {
	options  store.Options // the database, through the proxy
	network  string        // of the server
	address  string
	own      string // the proxy's own socket
	listener net.Listener

	mu     sync.Mutex
	isOpen bool
	conns  []net.Conn // open connections
}

func newSwitchedProxy(t *testing.T, o store.Options) *switchedProxy {
	t.Helper()
	u, err := url.Parse(o.URL)
	if err != nil {
		t.Fatal(err)
	}
	g := &switchedProxy{network: "tcp", address: u.Host}
	q := u.Query()
	if dir := q.Get("host"); strings.HasPrefix(dir, "/") {
		g.network, g.address = "unix", filepath.Join(dir, ".s.PGSQL.5432")
	} else if u.Port() == "" {
		g.address = net.JoinHostPort(u.Hostname(), "5432")
	}
	dir, err := os.MkdirTemp("", "proxy") // short enough for the name of a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	g.own = filepath.Join(dir, ".s.PGSQL.5432")
	q.Set("host", dir)
	q.Set("sslmode", "disable")
	u.Host, u.RawQuery = "", q.Encode()
	g.options = store.Options{URL: u.String()}
	g.open(t)
	t.Cleanup(g.shut)
	return g
}

func (g *switchedProxy) open(t *testing.T) {
	t.Helper()
	l, err := net.Listen("unix", g.own)
	if err != nil {
		t.Fatal(err)
	}
	g.mu.Lock()
	g.listener, g.isOpen = l, true
	g.mu.Unlock()
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go g.pass(client)
		}
	}()
}

func (g *switchedProxy) pass(client net.Conn) {
	defer client.Close()
	backend, err := net.Dial(g.network, g.address)
	if err != nil {
		return
	}
	defer backend.Close()
	g.mu.Lock()
	g.conns = append(g.conns, client, backend)
	late := !g.isOpen
	g.mu.Unlock()
	if late {
		return
	}
	go func() {
		_, _ = io.Copy(backend, client)
		backend.Close()
	}()
	_, _ = io.Copy(client, backend)
}

// shut refuses new connections and closes the open ones.
func (g *switchedProxy) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.isOpen = false
	g.listener.Close()
	for _, conn := range g.conns {
		conn.Close()
	}
	g.conns = nil
}
