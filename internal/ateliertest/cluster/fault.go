package cluster

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Chance returns a function that is true one time in n, by the seed, and that many may call at once.
func (c *Cluster) Chance() func(n int) bool {
	var mu sync.Mutex
	own := rand.New(rand.NewPCG(c.Rand.Uint64(), 2))
	return func(n int) bool {
		mu.Lock()
		defer mu.Unlock()
		return own.IntN(n) == 0
	}
}

// RestartWorker kills a worker and starts it again.
func (c *Cluster) RestartWorker() {
	w := c.Workers[c.Rand.IntN(len(c.Workers))]
	w.kill()
	w.start(c.t)
}

// RestartNATS kills some of the NATS servers and starts them again.
func (c *Cluster) RestartNATS(many int) {
	first := c.Rand.IntN(len(c.NATS))
	var killed []*natsServer
	for i := range many {
		s := c.NATS[(first+i)%len(c.NATS)]
		s.kill()
		killed = append(killed, s)
	}
	time.Sleep(time.Duration(c.Rand.IntN(1500)) * time.Millisecond)
	for _, s := range killed {
		s.start(c.t)
	}
	for _, n := range c.Nodes {
		c.AwaitBus(n, "ok")
	}
}

// Socket is where the primary listens.
func (p *Postgres) Socket() string { return p.primary.socket() }

// Loose lets runs fail from now on: their model does.
func (l *Load) Loose() { l.loose = true }

// StuckClients opens connections that send a part of a request, or do not read what is sent to them, until release.
func (c *Cluster) StuckClients(many int) (release func()) {
	c.t.Helper()
	ann := c.Account("--spark", "1000")
	var conns []net.Conn
	for i := range many {
		n := c.Nodes[i%len(c.Nodes)]
		host := strings.TrimPrefix(n.URL, "http://")
		conn, err := net.Dial("tcp", host)
		if err != nil {
			continue // it has been killed
		}
		conns = append(conns, conn)
		head := fmt.Sprintf("Host: %s\r\nAuthorization: Bearer %s\r\n", host, ann.Key)
		var text string
		switch i % 4 {
		case 0: // a part of the header
			text = "GET /v4/account/balance HTTP/1.1\r\n" + head
		case 1: // a part of the body
			text = "POST /v1/creative-agent/workflows HTTP/1.1\r\n" + head + "Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{\"input\":"
		case 2: // large answers that are not read
			text = strings.Repeat("GET /openapi.json HTTP/1.1\r\n"+head+"\r\n", 20)
		case 3: // a stream that is not read
			text = "GET /v1/events/stream HTTP/1.1\r\n" + head + "\r\n"
		}
		_, _ = conn.Write([]byte(text))
	}
	return func() {
		for _, conn := range conns {
			conn.Close()
		}
	}
}

// Levels are what the nodes have open, the most of any.
func (c *Cluster) Levels() (most Level) {
	c.t.Helper()
	c.closeIdle()
	for _, n := range c.Nodes {
		l, err := n.Level()
		if err != nil {
			c.t.Fatal(err)
		}
		most.Goroutines, most.Descriptors = max(most.Goroutines, l.Goroutines), max(most.Descriptors, l.Descriptors)
	}
	return most
}

// spare is what a node may have open besides: connections of pools that come and go.
const spare = 40

// AwaitLevels waits until no node has more open than before, but for what comes and goes.
func (c *Cluster) AwaitLevels(before Level) {
	c.t.Helper()
	await(c.t, "nothing is left open", func() error {
		now := c.Levels()
		if now.Goroutines > before.Goroutines+spare || now.Descriptors > before.Descriptors+spare {
			return fmt.Errorf("%+v are open, and %+v were before", now, before)
		}
		return nil
	})
	c.t.Logf("open afterwards: %+v, before: %+v", c.Levels(), before)
}

func (c *Cluster) closeIdle() {
	http.DefaultClient.CloseIdleConnections()
	c.balancer.transport.CloseIdleConnections()
}
