package cluster

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/atelier-project/atelier/internal/pipetest"
)

// natsServer is one of the servers of the NATS cluster.
type natsServer struct {
	*program
	address string
}

// startNATS starts servers that know each other.
func startNATS(c *Cluster, path string, many int) (list []*natsServer) {
	var routes []string
	var clusters []string
	for range many {
		list = append(list, &natsServer{address: freeAddress(c.t)})
		clusters = append(clusters, freeAddress(c.t))
		routes = append(routes, "nats://"+clusters[len(clusters)-1])
	}
	for i, s := range list {
		host, port, _ := strings.Cut(s.address, ":")
		name := "nats-" + string(rune('1'+i))
		s.program = c.program(name, func() *exec.Cmd {
			// Clients do not learn the other servers' addresses: they would go around the proxies.
			return exec.Command(path, "-a", host, "-p", port, "-n", name, "--cluster_name", "cluster", "--cluster", routes[i],
				"--routes", strings.Join(routes, ","), "--no_advertise")
		})
		s.start(c.t)
	}
	return list
}

// natsURL is how one node reaches the servers: each by a proxy for this node alone.
func (c *Cluster) natsURL() (url string, proxies []*pipetest.Proxy) {
	var urls []string
	for _, s := range c.NATS {
		p := pipetest.NewProxy(c.t, "tcp", s.address)
		proxies = append(proxies, p)
		urls = append(urls, "nats://"+p.Addr())
	}
	return strings.Join(urls, ","), proxies
}

// given are the addresses that freeAddress has found: they are free until a server is started there.
var given sync.Map

// freeAddress is an address of the loopback interface that nothing listens on. A server is ended and started again
// there, so the port is not one of those that the system gives to programs that ask for any, from 32,768 on: while the
// server is down another program would soon have it.
func freeAddress(t testing.TB) string {
	t.Helper()
	for range 1000 {
		address := fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(10_000))
		if _, taken := given.LoadOrStore(address, true); taken {
			continue
		}
		if l, err := net.Listen("tcp", address); err == nil {
			l.Close()
			return address
		}
	}
	t.Fatal("no port from 10,000 to 20,000 is free")
	return ""
}
