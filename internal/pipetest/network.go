package pipetest

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"syscall"
	"testing"
)

// Network is servers in memory, each with its own address. Tests in
// different bubbles may share one. Its zero value is ready.
type Network struct {
	mu        sync.Mutex
	listeners map[string]*Listener
	last      int // server
}

// Serve serves a handler at a new address until the test ends.
func (n *Network) Serve(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	l := Listen()
	n.mu.Lock()
	n.last++
	l.port = 10000 + n.last
	if n.listeners == nil {
		n.listeners = map[string]*Listener{}
	}
	n.listeners[l.Addr().String()] = l
	n.mu.Unlock()
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: h}}
	s.Start()
	t.Cleanup(func() {
		s.Close()
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.listeners, l.Addr().String())
	})
	return s
}

// Dial connects to one of the servers. It is a DialContext of http.Transport.
func (n *Network) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	n.mu.Lock()
	l := n.listeners[address]
	n.mu.Unlock()
	if l != nil {
		conn, err := l.Dial(ctx, network, address)
		if err == nil || ctx.Err() != nil {
			return conn, err
		}
	}
	return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
}

// Client is an HTTP client of the servers. Its connections end with the test.
func (n *Network) Client(t testing.TB) *http.Client {
	c := &http.Client{Transport: &http.Transport{DialContext: n.Dial}}
	t.Cleanup(c.CloseIdleConnections)
	return c
}
