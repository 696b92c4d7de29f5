package bus

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// subject carries every nudge, with the topic as its payload. The topic is not part of the
// subject because every node needs all of them anyway, through one subscription: as
// subjects, millions of short-lived topics would fill the servers' routing caches, and
// would have to be escaped. Two deployments that share a NATS server wake each other for
// nothing, which is harmless.
//
// An empty payload wakes all subscribers.
const subject = "atelier.nudge"

const (
	dialWithin  = 2 * time.Second // reaching one server
	redialAfter = 250 * time.Millisecond
)

// natsLink is a connection to a NATS server, or to one of a cluster.
type natsLink struct {
	line       *line
	conn       *nats.Conn
	heartbeat  time.Duration
	subscribed chan struct{} // closed once the subscription is made
}

func openNATS(o Options, l *line) (*natsLink, error) {
	if err := checkURLs(o.NATSURL); err != nil {
		return nil, err
	}
	n := &natsLink{line: l, heartbeat: o.Heartbeat, subscribed: make(chan struct{})}
	conn, err := nats.Connect(o.NATSURL, n.options()...)
	if err != nil {
		return nil, fmt.Errorf("bus: nats_url: %w", err)
	}
	n.conn = conn
	if _, err := conn.Subscribe(subject, n.receive); err != nil {
		close(n.subscribed)
		conn.Close()
		return nil, fmt.Errorf("bus: nats_url: %w", err)
	}
	close(n.subscribed)
	return n, nil
}

// checkURLs refuses a malformed list without quoting it: URLs may hold a password.
func checkURLs(list string) error {
	for i, one := range strings.Split(list, ",") {
		one = strings.TrimSpace(one)
		if u, err := url.Parse(one); err != nil || u.Scheme == "" || u.Host == "" {
			return fmt.Errorf("bus: nats_url: entry %d is not a URL such as nats://host:4222", i+1)
		}
	}
	return nil
}

func (n *natsLink) options() []nats.Option {
	return []nats.Option{
		nats.Name("atelier"),
		nats.NoEcho(), // this node's hub already has it
		nats.Timeout(dialWithin),
		nats.FlusherTimeout(n.heartbeat),
		// A server that does not answer a ping until the next one is due is lost: a
		// silent one is noticed within two heartbeats.
		nats.PingInterval(n.heartbeat),
		nats.MaxPingsOutstanding(1),
		nats.RetryOnFailedConnect(true),
		nats.MaxReconnects(-1),
		nats.IgnoreAuthErrorAbort(), // credentials may be rotated under a running node
		nats.ReconnectWait(redialAfter),
		nats.ReconnectJitter(redialAfter, redialAfter),
		nats.ReconnectBufSize(-1), // nudges wait in the outbox, as a set
		nats.NoCallbacksAfterClientClose(),
		nats.ConnectHandler(n.confirm),
		nats.ReconnectHandler(n.confirm),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { n.line.report(err) }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err == nil {
				err = errors.New("the server has closed the connection")
			}
			n.line.report(err)
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			n.line.bridge.log.Warn("bus: NATS error", "error", err)
			if errors.Is(err, nats.ErrSlowConsumer) {
				n.line.bridge.hub.wakeAll() // incoming nudges were dropped
			}
		}),
	}
}

// confirm reports a new connection. The answer of the server proves that it has our
// subscription: from then on no nudge is missed. A connection without an answer is
// replaced by the library, unless the answer comes late: so it is asked again.
func (n *natsLink) confirm(c *nats.Conn) {
	<-n.subscribed
	for connection := c.Stats().Reconnects; c.IsConnected() && c.Stats().Reconnects == connection; {
		err := c.FlushTimeout(n.heartbeat)
		if err == nil {
			n.line.report(nil)
		}
		if !errors.Is(err, nats.ErrTimeout) {
			return
		}
	}
}

func (n *natsLink) receive(m *nats.Msg) {
	if len(m.Data) == 0 {
		n.line.bridge.hub.wakeAll()
		return
	}
	n.line.bridge.hub.wake(string(m.Data))
}

// errMoved means that a batch was begun on one connection and confirmed on the next, which
// does not prove that the first delivered it.
var errMoved = errors.New("the connection was replaced while sending")

func (n *natsLink) send(batch batch) error {
	connection := n.conn.Stats().Reconnects
	if batch.all {
		if err := n.conn.Publish(subject, nil); err != nil {
			return err
		}
	}
	for topic := range batch.topics {
		err := n.conn.Publish(subject, []byte(topic))
		if errors.Is(err, nats.ErrMaxPayload) {
			continue // no topic of ours is that long, and it would be refused forever
		}
		if err != nil {
			return err
		}
	}
	if err := n.conn.FlushTimeout(n.heartbeat); err != nil {
		return err
	}
	if n.conn.Stats().Reconnects != connection {
		return errMoved
	}
	return nil
}

func (n *natsLink) close() { n.conn.Close() }
