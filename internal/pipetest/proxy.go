package pipetest

import (
	"net"
	"sync"
	"testing"
)

// Proxy is between a client and a server, so that a test can cut off that client only.
type Proxy struct {
	listener net.Listener

	mu      sync.Mutex
	network string        // of the server
	target  string        // its address; empty for none
	stalled chan struct{} // closed when bytes are forwarded again; nil when they are
	filter  func([]byte) []byte
	inspect func(data []byte, fromServer bool) bool
	open    []net.Conn
}

// NewProxy makes a proxy, on a loopback port, for a server at an address.
func NewProxy(t testing.TB, network, target string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: l, network: network, target: target}
	t.Cleanup(func() { l.Close(); p.PointAt("") })
	go p.serve()
	return p
}

// Addr is where clients connect.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// PointAt closes every connection and forwards the next ones to target, or refuses
// them when it is empty.
func (p *Proxy) PointAt(target string) {
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

// Filter changes what the server sends on the next connections.
func (p *Proxy) Filter(f func([]byte) []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.filter = f
}

// Inspect has f see what is forwarded from now on, on every connection, before it is. When it returns false,
// the data is
// lost and the connection is closed; while it waits, the data does too. Without f everything is forwarded.
func (p *Proxy) Inspect(f func(data []byte, fromServer bool) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inspect = f
}

// Stall keeps every connection, also new ones, and forwards nothing until PointAt.
func (p *Proxy) Stall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stalled = make(chan struct{})
}

func (p *Proxy) serve() {
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
		go p.forward(out, in, nil, false)
		go p.forward(in, out, filter, true)
	}
}

func (p *Proxy) forward(to, from net.Conn, filter func([]byte) []byte, fromServer bool) {
	defer to.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		p.mu.Lock()
		stalled, inspect := p.stalled, p.inspect
		p.mu.Unlock()
		if stalled != nil {
			<-stalled
		}
		data := buf[:n]
		if inspect != nil && n > 0 && !inspect(data, fromServer) {
			from.Close()
			return
		}
		if filter != nil {
			data = filter(data)
		}
		if _, lost := to.Write(data); lost != nil || err != nil {
			return
		}
	}
}
