package node

import (
	"container/list"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// connections is a listener that limits how many connections are open at once, so
// that the process always has files for the database and the media. The http.Server
// reports the state of each connection by ConnState.
//
// At the limit it closes the connection that has been idle longest; when none is
// idle, new ones wait in the queue of the system until one ends. One external
// address gets only a part of them.
type connections struct {
	net.Listener
	limit     int
	perClient int                   // of one external address
	isProxy   func(netip.Addr) bool // whether an address has many clients behind it
	log       *slog.Logger

	mu       sync.Mutex
	changed  sync.Cond
	closed   bool
	open     map[net.Conn]*list.Element // its place in idle; nil while it is busy
	idle     list.List                  // of net.Conn, the longest idle first
	byClient map[netip.Prefix]int
	warned   time.Time
}

// The part of all connections that one client gets, and the files that the
// process keeps for itself.
const (
	clientPart    = 4
	reservedFiles = 128
)

// connectionLimit is how many connections a process may have that may open a number of
// files: a request may need another file, such as an object or a connection to a
// model.
func connectionLimit(wanted int, files uint64) int {
	most := uint64(16) // a process that may open nearly nothing cannot serve; this is for tests
	if files > reservedFiles+2*most {
		most = (files - reservedFiles) / 2
	}
	return int(min(uint64(wanted), most))
}

// streamLimit is how many of the connections may be streams and completions. The others are for requests that end
// soon, such as a sign-in, a cancel or what a worker delivers.
func streamLimit(connections int) int { return max(1, connections-connections/4) }

func newConnections(l net.Listener, limit int, isProxy func(netip.Addr) bool, log *slog.Logger) *connections {
	c := &connections{
		Listener: l, limit: limit, perClient: max(1, limit/clientPart), isProxy: isProxy, log: log,
		open: map[net.Conn]*list.Element{}, byClient: map[netip.Prefix]int{},
	}
	c.changed.L = &c.mu
	return c
}

// Accept implements net.Listener.
func (c *connections) Accept() (net.Conn, error) {
	for {
		if err := c.waitForSlot(); err != nil {
			return nil, err
		}
		conn, err := c.Listener.Accept()
		if err != nil || c.mayConnect(conn) {
			return conn, err
		}
		conn.Close()
	}
}

// Close implements net.Listener.
func (c *connections) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.changed.Broadcast()
	return c.Listener.Close()
}

// waitForSlot returns when one more connection may be open.
func (c *connections) waitForSlot() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.open) >= c.limit && !c.closed {
		if now := time.Now(); now.Sub(c.warned) > time.Minute {
			c.warned = now
			c.log.Warn("connection limit reached, closing idle connections", "limit", c.limit)
		}
		if longest := c.idle.Front(); longest != nil {
			conn := longest.Value.(net.Conn)
			c.forget(conn)
			conn.Close()
			continue
		}
		c.changed.Wait()
	}
	if c.closed {
		return net.ErrClosed
	}
	return nil
}

// mayConnect reports whether the client of a connection may have another.
func (c *connections) mayConnect(conn net.Conn) bool {
	network, ok := c.client(conn)
	c.mu.Lock()
	defer c.mu.Unlock()
	return !ok || c.byClient[network] < c.perClient
}

// client returns the network by which the connections of a client are counted: an
// IPv6 network of 64 bits is one client. It reports false for an address with many
// clients behind it.
func (c *connections) client(conn net.Conn) (netip.Prefix, bool) {
	tcp, ok := conn.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return netip.Prefix{}, false
	}
	addr := tcp.AddrPort().Addr().Unmap().WithZone("")
	if c.isProxy(addr) {
		return netip.Prefix{}, false
	}
	network, err := addr.Prefix(min(addr.BitLen(), 64))
	return network, err == nil
}

// state follows a connection. It is the server's ConnState.
func (c *connections) state(conn net.Conn, state http.ConnState) {
	if _, ok := conn.RemoteAddr().(*net.TCPAddr); !ok {
		return // from inside the process
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew:
		c.open[conn] = nil
		if network, ok := c.client(conn); ok {
			c.byClient[network]++
		}
	case http.StateActive:
		if place := c.open[conn]; place != nil {
			c.idle.Remove(place)
			c.open[conn] = nil
		}
	case http.StateIdle:
		if _, known := c.open[conn]; known {
			c.open[conn] = c.idle.PushBack(conn)
			c.changed.Broadcast()
		}
	case http.StateClosed, http.StateHijacked:
		c.forget(conn)
	}
}

// forget stops counting a connection.
func (c *connections) forget(conn net.Conn) {
	place, known := c.open[conn]
	if !known {
		return
	}
	if place != nil {
		c.idle.Remove(place)
	}
	delete(c.open, conn)
	if network, ok := c.client(conn); ok {
		if c.byClient[network]--; c.byClient[network] == 0 {
			delete(c.byClient, network)
		}
	}
	c.changed.Broadcast()
}
