// Package pipetest connects HTTP clients and servers in memory, without sockets.
// In a bubble of testing/synctest their timeouts then cost no time, and a test
// can wait until all of them wait. Network is many servers, each with an address.
// Resolver is a name service for tests, and Proxy cuts or stalls the connections of
// one client.
package pipetest

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// Listener accepts connections that are pipes in memory.
type Listener struct {
	conns  chan net.Conn
	closed chan struct{}
	close  func()
	port   int
}

// Listen makes a listener.
func Listen() *Listener {
	l := &Listener{conns: make(chan net.Conn), closed: make(chan struct{}), port: 80}
	l.close = sync.OnceFunc(func() { close(l.closed) })
	return l
}

// Dial connects to the listener, whatever the address. It is a DialContext of
// http.Transport.
func (l *Listener) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Client is an HTTP client of the server that listens.
func (l *Listener) Client() *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: l.Dial}}
}

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *Listener) Close() error {
	l.close()
	return nil
}

// Addr implements net.Listener.
func (l *Listener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: l.port} }
