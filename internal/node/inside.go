package node

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"

	"github.com/atelier-project/atelier/client"
)

// insideListener connects workers inside this process with its HTTP server, without
// the network: they need no port and do not count against the limits of
// connections.
type insideListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newInsideListener() *insideListener {
	return &insideListener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

// Accept implements net.Listener.
func (l *insideListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *insideListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr implements net.Listener.
func (l *insideListener) Addr() net.Addr { return insideAddr{} }

type insideAddr struct{}

func (insideAddr) Network() string { return "inside" }
func (insideAddr) String() string  { return "inside" }

// dial connects to the server.
func (l *insideListener) dial(ctx context.Context) (net.Conn, error) {
	own, peer := net.Pipe()
	select {
	case l.conns <- peer:
		return own, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ownClient is a client of this process. It reaches other addresses, such as
// objects in S3, over the network.
func (n *Node) ownClient(key string) *client.Client {
	c := client.New(n.loopback(), key)
	own, err := url.Parse(c.URL)
	if err != nil {
		return c // cannot happen: the address is our own
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	proxy, dial := transport.Proxy, transport.DialContext
	transport.Proxy = func(r *http.Request) (*url.URL, error) {
		if r.URL.Host == own.Host {
			return nil, nil
		}
		return proxy(r)
	}
	transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if addr == own.Host {
			return n.inside.dial(ctx)
		}
		return dial(ctx, network, addr)
	}
	c.HTTP.Transport = transport
	return c
}

// loopback is how this process reaches itself.
func (n *Node) loopback() string {
	addr := n.listener.Addr().(*net.TCPAddr)
	host := addr.IP.String()
	if addr.IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, fmt.Sprint(addr.Port))
}
