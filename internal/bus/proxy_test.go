package bus_test

import (
	"net"
	"sync"
	"testing"
)

// proxy is between a node and a server, so that a test can cut off one node only.
type proxy struct {
	listener net.Listener

	mu      sync.Mutex
	network string // of the server
	target  string // its address; empty for none
	stalled chan struct{}
	filter  func(fromServer []byte) []byte
	open    []net.Conn
}

func newProxy(t testing.TB, network, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, network: network, target: target}
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
	if p.stalled != nil {
		close(p.stalled)
		p.stalled = nil
	}
	for _, c := range p.open {
		c.Close()
	}
	p.open = nil
}

// stall keeps every connection, also new ones, and forwards nothing until pointAt.
func (p *proxy) stall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stalled = make(chan struct{})
}

func (p *proxy) serve() {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		out, err := net.Dial(p.network, p.target)
		if err != nil {
			in.Close()
			p.mu.Unlock()
			continue
		}
		p.open = append(p.open, in, out)
		filter := p.filter
		p.mu.Unlock()
		go p.forward(out, in, nil)
		go p.forward(in, out, filter)
	}
}

func (p *proxy) forward(to, from net.Conn, filter func([]byte) []byte) {
	defer to.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		p.mu.Lock()
		stalled := p.stalled
		p.mu.Unlock()
		if stalled != nil {
			<-stalled
		}
		data := buf[:n]
		if filter != nil {
			data = filter(data)
		}
		if _, lost := to.Write(data); lost != nil || err != nil {
			return
		}
	}
}
