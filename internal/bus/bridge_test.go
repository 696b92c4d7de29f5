package bus_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/atelier-project/atelier/internal/bus"
)

// natsServer starts a real NATS server on a loopback port; zero picks one.
func natsServer(t testing.TB, port int, more ...func(*server.Options)) *server.Server {
	t.Helper()
	o := &server.Options{Host: "127.0.0.1", Port: port, NoLog: true, NoSigs: true}
	if port == 0 {
		o.Port = server.RANDOM_PORT
	}
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

func portOf(s *server.Server) int { return s.Addr().(*net.TCPAddr).Port }

// node is a Bus whose log lines a test can wait for.
type node struct {
	*bus.Bus
	lines chan string
}

func join(t testing.TB, natsURL string) node {
	t.Helper()
	n := node{lines: make(chan string, 1000)}
	b, err := bus.Open(t.Context(), natsURL, slog.New(lineHandler{n.lines}))
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(b.Close)
	n.Bus = b
	return n
}

func (n node) awaitLine(t *testing.T, part string) {
	t.Helper()
	late := time.After(patience)
	for {
		select {
		case line := <-n.lines:
			if strings.Contains(line, part) {
				return
			}
		case <-late:
			t.Fatalf("the log never said %q", part)
		}
	}
}

type lineHandler struct{ lines chan<- string }

func (h lineHandler) Enabled(context.Context, slog.Level) bool { return true }
func (h lineHandler) WithAttrs([]slog.Attr) slog.Handler       { return h }
func (h lineHandler) WithGroup(string) slog.Handler            { return h }
func (h lineHandler) Handle(_ context.Context, r slog.Record) error {
	select {
	case h.lines <- r.Message:
	default:
	}
	return nil
}

func TestBridgeCarriesNudgesBothWays(t *testing.T) {
	t.Parallel()
	url := natsServer(t, 0).ClientURL()
	a, b := join(t, url), join(t, url)
	onA, onB, other := a.Subscribe("x y.*>"), b.Subscribe("x y.*>"), b.Subscribe("other")
	a.Publish("x y.*>")
	awaitNudge(t, onB, "A to B")
	if !nudged(onA) {
		t.Error("the publisher's own subscriber was not nudged")
	}
	b.Publish("x y.*>")
	awaitNudge(t, onA, "B to A")
	if nudged(other) {
		t.Error("a subscriber of another topic was nudged")
	}
	for name, n := range map[string]node{"A": a, "B": b} {
		if err := n.Ping(t.Context()); err != nil {
			t.Errorf("Ping of %s: %v", name, err)
		}
	}
}

func TestNodeDoesNotReceiveItsOwnNudges(t *testing.T) {
	t.Parallel()
	url := natsServer(t, 0).ClientURL()
	a, b := join(t, url), join(t, url)
	onA, onB := a.Subscribe("mine", "back"), b.Subscribe("mine")
	a.Publish("mine")
	if !nudged(onA) {
		t.Fatal("the local nudge is missing")
	}
	awaitNudge(t, onB, "A to B")
	// B answers on the connection that would also have carried the echo, so
	// when the answer is here the echo would be as well.
	toA := a.Subscribe("back")
	b.Publish("back")
	awaitNudge(t, toA, "B to A")
	if !nudged(onA) {
		t.Fatal("the answer is missing")
	}
	if nudged(onA) {
		t.Error("the node received its own nudge")
	}
}

func TestManyTopicsCrossTheBridge(t *testing.T) {
	t.Parallel()
	url := natsServer(t, 0).ClientURL()
	a, b := join(t, url), join(t, url)
	subs := make([]*bus.Subscription, 2000)
	for i := range subs {
		subs[i] = b.Subscribe(fmt.Sprint("topic/", i))
	}
	for i := range subs {
		a.Publish(fmt.Sprint("topic/", i))
	}
	for i, s := range subs {
		awaitNudge(t, s, fmt.Sprint("topic/", i))
	}
}

func TestCloseSendsWhatWaits(t *testing.T) {
	t.Parallel()
	url := natsServer(t, 0).ClientURL()
	a, b := join(t, url), join(t, url)
	s := b.Subscribe("last words")
	a.Publish("last words")
	a.Close()
	awaitNudge(t, s, "published just before Close")
	a.Publish("after the end") // must not panic or block
	if err := a.Ping(t.Context()); err == nil {
		t.Error("Ping of a closed bridge = nil, want an error")
	}
}

func TestRestartWakesEveryone(t *testing.T) {
	t.Parallel()
	s := natsServer(t, 0)
	url, port := s.ClientURL(), portOf(s)
	a, b := join(t, url), join(t, url)
	onA, onB := a.Subscribe("quiet"), b.Subscribe("news")

	stop(s)
	a.awaitLine(t, "connection lost")
	b.awaitLine(t, "connection lost")
	if err := a.Ping(t.Context()); err == nil {
		t.Error("Ping without a server = nil, want an error")
	}
	local := a.Subscribe("news")
	a.Publish("news")
	if !nudged(local) {
		t.Error("without NATS a node still has to wake its own subscribers")
	}

	natsServer(t, port)
	awaitNudge(t, onA, "A after the restart")
	awaitNudge(t, onB, "B after the restart")
	a.awaitLine(t, "connection restored")
	b.awaitLine(t, "connection restored")
	if err := a.Ping(t.Context()); err != nil {
		t.Errorf("Ping after the restart: %v", err)
	}
	again := b.Subscribe("fresh")
	a.Publish("fresh")
	awaitNudge(t, again, "A to B after the restart")
}

func TestNudgesOfAnOutageArriveAfterIt(t *testing.T) {
	t.Parallel()
	// A loses its server and B does not, so B is not woken by its own reconnect:
	// nudges of the outage come from A's outbox.
	one, two := natsServer(t, 0), natsServer(t, 0)
	proxy := newProxy(t, one.Addr().String())
	a, b := join(t, "nats://"+proxy.addr()), join(t, two.ClientURL())
	onB := b.Subscribe("during")

	proxy.pointAt(two.Addr().String())
	a.Publish("during")
	a.awaitLine(t, "connection restored")
	awaitNudge(t, onB, "published around the outage")
}

func TestOverlongOutageWakesEveryone(t *testing.T) {
	t.Parallel()
	one, two := natsServer(t, 0), natsServer(t, 0)
	proxy := newProxy(t, one.Addr().String())
	a, b := join(t, "nats://"+proxy.addr()), join(t, two.ClientURL())
	onB := b.Subscribe("never published")

	proxy.pointAt("") // at no server
	a.awaitLine(t, "connection lost")
	for i := range 20_000 {
		a.Publish(fmt.Sprint("topic/", i))
	}
	proxy.pointAt(two.Addr().String())
	awaitNudge(t, onB, "more topics than the outbox keeps")
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
	nodes := []node{join(t, list), join(t, list), join(t, list)}
	exchange(t, nodes, "whole")

	stop(servers[0])
	exchange(t, nodes, "without one")

	late := join(t, list)
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
		s := natsServer(t, 0, func(o *server.Options) {
			o.ServerName = fmt.Sprint("n", i)
			o.Cluster = server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: server.RANDOM_PORT}
			o.Routes = routes
		})
		routes = append(routes, &url.URL{Scheme: "nats", Host: s.ClusterAddr().String()})
		servers = append(servers, s)
	}
	return servers
}

func TestOpenFailsClearly(t *testing.T) {
	t.Parallel()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	unused := "nats://user:hush@" + free.Addr().String()
	free.Close()

	mute, err := net.Listen("tcp", "127.0.0.1:0") // accepts and does not answer
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mute.Close() })

	secured := natsServer(t, 0, func(o *server.Options) { o.Username, o.Password = "user", "right" })

	for name, c := range map[string]struct{ url, want string }{
		"no listener":    {unused, "no NATS server could be reached"},
		"silent server":  {"nats://user:hush@" + mute.Addr().String(), "no NATS server could be reached"},
		"wrong password": {"nats://user:hush@" + secured.Addr().String(), "no NATS server could be reached"},
		"malformed":      {"nats://ok:4222,nats://user:hush@[broken", "entry 2 is not a URL"},
		"no scheme":      {"hush", "entry 1 is not a URL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := bus.Open(t.Context(), c.url, nil)
			if err == nil {
				b.Close()
				t.Fatal("Open = nil error")
			}
			if !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "nats_url") {
				t.Errorf("Open = %q, want it to name nats_url and say %q", err, c.want)
			}
			if strings.Contains(err.Error(), "hush") {
				t.Errorf("Open = %q, which contains the password", err)
			}
		})
	}
}

func TestOpenObeysItsContext(t *testing.T) {
	t.Parallel()
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := bus.Open(ctx, "nats://"+mute.Addr().String(), nil); err == nil {
		t.Fatal("Open with a cancelled context = nil error")
	}
}

// TestBridgeLeavesNoGoroutines is not parallel: it looks at all goroutines of
// the process.
func TestBridgeLeavesNoGoroutines(t *testing.T) {
	s := natsServer(t, 0)
	for range 3 {
		b := join(t, s.ClientURL())
		sub := b.Subscribe("a")
		b.Publish("a")
		sub.Close()
		b.Close()
	}
	var left string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); runtime.Gosched() {
		if left = clientGoroutines(); left == "" {
			return
		}
	}
	t.Errorf("goroutines are left after Close:\n%s", left)
}

func clientGoroutines() string {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	var left []string
	for _, g := range strings.Split(string(buf), "\n\n") {
		if strings.Contains(g, "nats%2ego.") || strings.Contains(g, "bus.(*bridge)") {
			left = append(left, g)
		}
	}
	return strings.Join(left, "\n\n")
}

func BenchmarkBridge(b *testing.B) {
	url := natsServer(b, 0).ClientURL()
	from, to := join(b, url), join(b, url)
	s := to.Subscribe("a")
	b.ReportAllocs()
	for b.Loop() {
		from.Publish("a")
		<-s.C()
	}
}
