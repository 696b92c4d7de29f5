package bus_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/pipetest"
)

// natsServer starts a real NATS server on a loopback port.
func natsServer(t testing.TB, more ...func(*server.Options)) *server.Server {
	t.Helper()
	o := &server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true}
	for _, f := range more {
		f(o)
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatalf("nats-server: %v", err)
	}
	s.Start()
	t.Cleanup(func() { stop(s) })
	if !s.ReadyForConnections(patience) {
		t.Fatal("nats-server does not take connections")
	}
	return s
}

func stop(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

func TestClusterSurvivesANode(t *testing.T) {
	t.Parallel()
	servers := natsCluster(t, 3)
	var urls []string
	for _, s := range servers {
		urls = append(urls, s.ClientURL())
	}
	// The first URL alone would be enough to find the others, but a start must
	// not depend on one server, so nodes are given all of them.
	list := strings.Join(urls, ",")
	join := func() node { return start(t, bus.Options{NATSURL: list, Heartbeat: time.Minute}, nil) }
	nodes := []node{join(), join(), join()}
	exchange(t, nodes, "whole")

	stop(servers[0])
	exchange(t, nodes, "without one")

	late := join()
	exchange(t, append(nodes, late), "joined while one is down")
}

// exchange sends a nudge from every node to every other. Interest spreads in
// a cluster after a subscription is confirmed, and a nudge may be lost
// meanwhile, as the contract says, so a silent topic is nudged again.
func exchange(t *testing.T, nodes []node, name string) {
	t.Helper()
	late := time.After(patience)
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for i, from := range nodes {
		for j, to := range nodes {
			topic := fmt.Sprintf("%s/%d/%d", name, i, j)
			s := to.Subscribe(topic)
			for received := false; !received; {
				from.Publish(topic)
				select {
				case <-s.C():
					received = true
				case <-again.C:
				case <-late:
					t.Fatalf("%s: node %d received no nudge of node %d", name, j, i)
				}
			}
			s.Close()
		}
	}
}

func natsCluster(t *testing.T, size int) []*server.Server {
	t.Helper()
	var servers []*server.Server
	var routes []*url.URL
	for i := range size {
		s := natsServer(t, func(o *server.Options) {
			o.ServerName = fmt.Sprint("n", i)
			o.Cluster = server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: server.RANDOM_PORT}
			o.Routes = routes
		})
		routes = append(routes, &url.URL{Scheme: "nats", Host: s.ClusterAddr().String()})
		servers = append(servers, s)
	}
	return servers
}

func TestMalformedURLsAreRefused(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		"nats://ok:4222,nats://user:hush@[broken": "entry 2 is not a URL",
		"hush": "entry 1 is not a URL",
	} {
		_, err := bus.Open(t.Context(), bus.Options{NATSURL: list})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "nats_url") || strings.Contains(err.Error(), "hush") {
			t.Errorf("Open(%q) = %v, want it to name nats_url and say %q without the password", list, err, want)
		}
	}
}

// A server that does not let the node in is reported without the password, and tried
// again: credentials may be rotated.
func TestWrongPassword(t *testing.T) {
	t.Parallel()
	secured := natsServer(t, func(o *server.Options) { o.Username, o.Password = "user", "right" })
	n := start(t, bus.Options{NATSURL: "nats://user:hush@" + secured.Addr().String()}, nil)
	if line := n.awaitLine(t, lost); !strings.Contains(line, "Authorization Violation") || strings.Contains(line, "hush") {
		t.Errorf("the log says %q, want the reason without the password", line)
	}
	if err := n.Ping(t.Context()); err == nil || strings.Contains(err.Error(), "hush") {
		t.Errorf("Ping = %v, want the reason without the password", err)
	}
}

func TestOpenObeysItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := bus.Open(ctx, bus.Options{NATSURL: "nats://127.0.0.1:1"}); err == nil {
		t.Fatal("Open with a cancelled context = nil error")
	}
}

// TestCloseLeavesNoGoroutines is not parallel: it looks at all goroutines of the process.
func TestCloseLeavesNoGoroutines(t *testing.T) {
	nats, postgres := natsNetwork(t), network{}
	if os.Getenv("ATELIER_TEST_POSTGRES_URL") != "" {
		postgres = postgresNetwork(t)
	}
	for range 3 {
		o := nats.options(t, nats.address)
		if postgres.options != nil {
			o.Channel = postgres.options(t, pipetest.NewProxy(t, postgres.protocol, postgres.address).Addr()).Channel
		}
		b := start(t, o, nil)
		sub := b.Subscribe("a")
		b.Publish("a")
		sub.Close()
		b.Close()
	}
	var left string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); runtime.Gosched() {
		if left = busGoroutines(); left == "" {
			return
		}
	}
	t.Errorf("goroutines are left after Close:\n%s", left)
}

func busGoroutines() string {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	var left []string
	for _, g := range strings.Split(string(buf), "\n\n") {
		if strings.Contains(g, "nats%2ego.") || strings.Contains(g, "bus.(*bridge)") || strings.Contains(g, "bus.(*postgresLink)") {
			left = append(left, g)
		}
	}
	return strings.Join(left, "\n\n")
}
