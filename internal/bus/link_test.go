package bus_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/database/databasetest"
	"github.com/atelier-project/atelier/internal/pipetest"
)

// network is what carries nudges between nodes: a server, and the options of a node that
// reaches it at an address.
type network struct {
	protocol, address string // of the server
	options           func(t testing.TB, address string) bus.Options
}

// eachNetwork runs a test with every kind of server.
func eachNetwork(t *testing.T, run func(t *testing.T, n network)) {
	t.Helper()
	for name, start := range map[string]func(testing.TB) network{"nats": natsNetwork, "postgres": postgresNetwork} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, start(t))
		})
	}
}

func natsNetwork(t testing.TB) network {
	t.Helper()
	return network{"tcp", natsServer(t).Addr().String(), func(_ testing.TB, address string) bus.Options {
		return bus.Options{NATSURL: "nats://" + address}
	}}
}

func postgresNetwork(t testing.TB) network {
	t.Helper()
	u, err := url.Parse(databasetest.Postgres(t).URL)
	if err != nil {
		t.Fatal(err)
	}
	n := network{protocol: "tcp", address: u.Host}
	q := u.Query()
	if dir := q.Get("host"); strings.HasPrefix(dir, "/") {
		n.protocol, n.address = "unix", filepath.Join(dir, ".s.PGSQL.5432")
		q.Del("host")
	}
	q.Set("sslmode", "disable")
	n.options = func(t testing.TB, address string) bus.Options {
		own := *u
		own.Host, own.RawQuery = address, q.Encode()
		db := databasetest.Open(t, database.Options{URL: own.String()})
		return bus.Options{Channel: db.Channel("nudges")}
	}
	return n
}

// node is a Bus whose log lines a test can wait for.
type node struct {
	*bus.Bus
	proxy *pipetest.Proxy // between it and the server
	lines chan string
}

// join starts a node. Its server may be silent for long, so that a slow machine does not
// lose connections, unless a test sets another heartbeat.
func (n network) join(t testing.TB, heartbeat ...time.Duration) node {
	t.Helper()
	p := pipetest.NewProxy(t, n.protocol, n.address)
	o := n.options(t, p.Addr())
	o.Heartbeat = append(heartbeat, time.Minute)[0]
	joined := start(t, o, p)
	joined.awaitLine(t, connected) // later, it would wake all subscribers
	return joined
}

func start(t testing.TB, o bus.Options, p *pipetest.Proxy) node {
	t.Helper()
	n := node{proxy: p, lines: make(chan string, 1000)}
	o.Log = slog.New(lineHandler{n.lines})
	b, err := bus.Open(t.Context(), o)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(b.Close)
	n.Bus = b
	return n
}

// awaitLine waits for a log line that contains part, and returns it.
func (n node) awaitLine(t testing.TB, part string) string {
	t.Helper()
	late := time.After(patience)
	for {
		select {
		case line := <-n.lines:
			if strings.Contains(line, part) {
				return line
			}
		case <-late:
			t.Fatalf("the log never said %q", part)
		}
	}
}

const (
	lost      = "bus: not connected"
	connected = "bus: connected"
)

type lineHandler struct{ lines chan<- string }

func (h lineHandler) Enabled(context.Context, slog.Level) bool { return true }
func (h lineHandler) WithAttrs([]slog.Attr) slog.Handler       { return h }
func (h lineHandler) WithGroup(string) slog.Handler            { return h }
func (h lineHandler) Handle(_ context.Context, r slog.Record) error {
	line := r.Message
	r.Attrs(func(a slog.Attr) bool { line += " " + a.String(); return true })
	select {
	case h.lines <- line:
	default:
	}
	return nil
}

func TestNudgesTravelBothWays(t *testing.T) {
	t.Parallel()
	eachNetwork(t, func(t *testing.T, n network) {
		a, b := n.join(t), n.join(t)
		onA, onB, other := a.Subscribe("x y.*>'é"), b.Subscribe("x y.*>'é"), b.Subscribe("other")
		a.Publish("x y.*>'é")
		awaitNudge(t, onB, "A to B")
		if !nudged(onA) {
			t.Error("the publisher's own subscriber was not nudged")
		}
		b.Publish("x y.*>'é")
		awaitNudge(t, onA, "B to A")
		if nudged(other) {
			t.Error("a subscriber of another topic was nudged")
		}
		for name, n := range map[string]node{"A": a, "B": b} {
			if err := n.Ping(t.Context()); err != nil {
				t.Errorf("Ping of %s: %v", name, err)
			}
		}
	})
}

func TestNodeDoesNotReceiveItsOwnNudges(t *testing.T) {
	t.Parallel()
	eachNetwork(t, func(t *testing.T, n network) {
		a, b := n.join(t), n.join(t)
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
	})
}

func TestManyTopicsTravel(t *testing.T) {
	t.Parallel()
	eachNetwork(t, func(t *testing.T, n network) {
		a, b := n.join(t), n.join(t)
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
	})
}

func TestCloseSendsWhatWaits(t *testing.T) {
	t.Parallel()
	eachNetwork(t, func(t *testing.T, n network) {
		a, b := n.join(t), n.join(t)
		s := b.Subscribe("last words")
		a.Publish("last words")
		a.Close()
		awaitNudge(t, s, "published just before Close")
		a.Publish("after the end") // must not panic or block
		if err := a.Ping(t.Context()); err == nil {
			t.Error("Ping of a closed bus = nil, want an error")
		}
	})
}

// A node that is cut off logs it, serves its own subscribers, has all of them look when it
// notices and when it is back, and then sends what it could not.
func TestNodeIsCutOff(t *testing.T) {
	t.Parallel()
	eachNetwork(t, func(t *testing.T, n network) {
		a, b := n.join(t), n.join(t)
		quiet, onB := a.Subscribe("quiet"), b.Subscribe("news")
		a.proxy.PointAt("")
		a.awaitLine(t, lost)
		if !nudged(quiet) {
			t.Error("a subscriber does not look when the connection is lost")
		}
		if err := a.Ping(t.Context()); err == nil {
			t.Error("Ping of a node that is cut off = nil, want an error")
		}
		local := a.Subscribe("news")
		a.Publish("news")
		if !nudged(local) {
			t.Error("without a server a node still has to wake its own subscribers")
		}
		a.proxy.PointAt(n.address)
		awaitNudge(t, onB, "published while A was cut off")
		a.awaitLine(t, connected)
		if !nudged(quiet) {
			t.Error("a subscriber does not look when the connection is back")
		}
		if err := a.Ping(t.Context()); err != nil {
			t.Errorf("Ping after the outage: %v", err)
		}
		again := a.Subscribe("fresh")
		b.Publish("fresh")
		awaitNudge(t, again, "B to A after the outage")
	})
}

// A server that keeps the connection and sends nothing is noticed.
func TestServerStalls(t *testing.T) {
	t.Parallel()
	eachNetwork(t, func(t *testing.T, n network) {
		a, b := n.join(t, 300*time.Millisecond), n.join(t)
		a.proxy.Stall()
		a.awaitLine(t, lost)
		onB := b.Subscribe("news")
		a.Publish("news")
		a.proxy.PointAt(n.address)
		a.awaitLine(t, connected)
		awaitNudge(t, onB, "published while the server was silent")
	})
}

// A node whose server is away starts, and connects when it is there.
func TestStartWithoutTheServer(t *testing.T) {
	t.Parallel()
	eachNetwork(t, func(t *testing.T, n network) {
		p := pipetest.NewProxy(t, n.protocol, n.address)
		o := n.options(t, p.Addr())
		p.PointAt("")
		a, b := start(t, o, p), n.join(t)
		if err := a.Ping(t.Context()); err == nil {
			t.Error("Ping without a server = nil, want an error")
		}
		a.awaitLine(t, lost)
		onA, onB := a.Subscribe("to A"), b.Subscribe("to B")
		a.Publish("to B")
		p.PointAt(n.address)
		awaitNudge(t, onB, "published before the first connection")
		a.awaitLine(t, connected)
		nudged(onA)
		b.Publish("to A")
		awaitNudge(t, onA, "after the first connection")
	})
}

func TestOverlongOutageWakesEveryone(t *testing.T) {
	t.Parallel()
	eachNetwork(t, func(t *testing.T, n network) {
		a, b := n.join(t), n.join(t)
		onB := b.Subscribe("never published")
		a.proxy.PointAt("")
		a.awaitLine(t, lost)
		for i := range 20_000 {
			a.Publish(fmt.Sprint("topic/", i))
		}
		a.proxy.PointAt(n.address)
		awaitNudge(t, onB, "more topics than the outbox keeps")
	})
}

// A node that has lost NATS tells the others by way of PostgreSQL, at once.
func TestPostgresCarriesWhatNATSCannot(t *testing.T) {
	t.Parallel()
	nats, postgres := natsNetwork(t), postgresNetwork(t)
	join := func(heartbeat time.Duration) node {
		p := pipetest.NewProxy(t, nats.protocol, nats.address)
		o := nats.options(t, p.Addr())
		o.Channel, o.Heartbeat = postgres.options(t, pipetest.NewProxy(t, postgres.protocol, postgres.address).Addr()).Channel, heartbeat
		n := start(t, o, p)
		n.awaitLine(t, connected)
		n.awaitLine(t, connected)
		return n
	}
	t.Run("cut", func(t *testing.T) {
		a, b := join(time.Minute), join(time.Minute)
		onB := b.Subscribe("news")
		a.proxy.PointAt("")
		a.awaitLine(t, lost+", retrying link=NATS")
		a.Publish("news")
		awaitNudge(t, onB, "of a node that is cut off from NATS")
		if err := a.Ping(t.Context()); err == nil {
			t.Error("Ping without NATS = nil: nudges of the others do not arrive")
		}
	})
	t.Run("stalled", func(t *testing.T) {
		a, b := join(300*time.Millisecond), join(time.Minute)
		onB := b.Subscribe("news")
		a.proxy.Stall()
		a.Publish("news") // at a moment at which A knows nothing of it
		awaitNudge(t, onB, "of a node whose NATS is silent")
	})
}

func BenchmarkLink(b *testing.B) {
	for name, network := range map[string]func(testing.TB) network{"nats": natsNetwork, "postgres": postgresNetwork} {
		b.Run(name, func(b *testing.B) {
			n := network(b)
			from, to := n.join(b), n.join(b)
			s := to.Subscribe("a")
			b.ReportAllocs()
			for b.Loop() {
				from.Publish("a")
				<-s.C()
			}
		})
	}
}
