package bus_test

import (
	"io"
	"net"
	"sync"
	"testing"
)

// proxy is between a node and a NATS server, so that a test can cut off one node
// only.
type proxy struct {
	listener net.Listener
	mu       sync.Mutex
	target   string
	open     []net.Conn
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, target: target}
	t.Cleanup(func() { l.Close(); p.pointAt("") })
	go p.serve()
	return p
}

func (p *proxy) addr() string { return p.listener.Addr().String() }

// pointAt closes every connection and forwards the next ones to target, or refuses
// them when it is empty.
func (p *proxy) pointAt(target string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = target
	for _, c := range p.open {
		c.Close()
	}
	p.open = nil
}

func (p *proxy) serve() {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		out, err := net.Dial("tcp", p.target)
		if err != nil {
			in.Close()
			p.mu.Unlock()
			continue
		}
		p.open = append(p.open, in, out)
		p.mu.Unlock()
		go func() { io.Copy(in, out); in.Close() }()
		go func() { io.Copy(out, in); out.Close() }()
	}
}
