package bus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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
	openWithin  = 5 * time.Second // reaching any server of the list at start
	dialWithin  = 2 * time.Second // reaching one server
	answerIn    = 2 * time.Second // one round trip
	pingEvery   = 5 * time.Second // detects a silent server, two pings later
	redialAfter = 250 * time.Millisecond
)

// bridge connects the hub of this node to those of the others.
type bridge struct {
	hub    *hub
	log    *slog.Logger
	conn   *nats.Conn
	outbox outbox
	stop   chan struct{} // closed to end the sender
	done   chan struct{} // closed when the sender has ended
}

func openBridge(ctx context.Context, natsURL string, h *hub, log *slog.Logger) (*bridge, error) {
	if err := checkURLs(natsURL); err != nil {
		return nil, err
	}
	b := &bridge{
		hub: h, log: log,
		outbox: outbox{ready: make(chan struct{}, 1)},
		stop:   make(chan struct{}),
		done:   make(chan struct{}),
	}
	ctx, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	conn, err := b.dial(ctx, natsURL)
	if err != nil {
		return nil, fmt.Errorf("bus: nats_url: no NATS server could be reached: %w", err)
	}
	b.conn = conn
	if _, err = conn.Subscribe(subject, b.receive); err == nil {
		// The answer proves that the server has the subscription.
		err = conn.FlushWithContext(ctx)
	}
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("bus: nats_url: the NATS server rejected the connection: %w", err)
	}
	go b.send()
	// Nudges of other nodes before this moment were missed.
	h.wakeAll()
	log.Info("bus: connected to NATS", "server", conn.ConnectedUrlRedacted())
	return b, nil
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

// dial connects within the time ctx allows. The library has a timeout only for each server
// of the list, so the whole is limited here; a connection that comes too late is closed
// again.
func (b *bridge) dial(ctx context.Context, natsURL string) (*nats.Conn, error) {
	type result struct {
		conn *nats.Conn
		err  error
	}
	dialled := make(chan result, 1)
	go func() {
		conn, err := nats.Connect(natsURL, b.options()...)
		dialled <- result{conn, err}
	}()
	select {
	case r := <-dialled:
		return r.conn, r.err
	case <-ctx.Done():
		go func() {
			if r := <-dialled; r.conn != nil {
				r.conn.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

func (b *bridge) options() []nats.Option {
	return []nats.Option{
		nats.Name("atelier"),
		nats.NoEcho(), // this node's hub already has it
		nats.Timeout(dialWithin),
		nats.FlusherTimeout(answerIn),
		nats.PingInterval(pingEvery),
		nats.MaxPingsOutstanding(2),
		nats.MaxReconnects(-1),
		nats.IgnoreAuthErrorAbort(), // credentials may be rotated under a running node
		nats.ReconnectWait(redialAfter),
		nats.ReconnectJitter(redialAfter, redialAfter),
		nats.ReconnectBufSize(-1), // nudges wait in the outbox, as a set
		nats.NoCallbacksAfterClientClose(),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			b.log.Warn("bus: NATS connection lost, reconnecting", "error", err)
		}),
		nats.ReconnectHandler(func(c *nats.Conn) {
			// The answer proves that the server has our subscription again: from
			// now on no nudge is missed.
			err := c.FlushTimeout(answerIn)
			b.log.Info("bus: NATS connection restored", "server", c.ConnectedUrlRedacted(), "error", err)
			b.hub.wakeAll()   // nudges of others were missed meanwhile
			b.outbox.signal() // and other nodes missed ours
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			b.log.Warn("bus: NATS error", "error", err)
			if errors.Is(err, nats.ErrSlowConsumer) {
				b.hub.wakeAll() // incoming nudges were dropped
			}
		}),
	}
}

func (b *bridge) receive(m *nats.Msg) {
	if len(m.Data) == 0 {
		b.hub.wakeAll()
		return
	}
	b.hub.wake(string(m.Data))
}

// send empties the outbox, one round trip at a time, until the bridge closes. The answer
// of the server confirms the batch; without it the batch is kept for the next connection,
// so a nudge is not lost when a server dies while it is on the wire. Nudges published
// during the round trip go with the next one.
func (b *bridge) send() {
	defer close(b.done)
	for {
		select {
		case <-b.stop:
			b.sendBatch()
			return
		case <-b.outbox.ready:
			b.sendBatch()
		}
	}
}

func (b *bridge) sendBatch() {
	if !b.conn.IsConnected() {
		return // the reconnect handler signals again
	}
	batch := b.outbox.drain()
	if batch.empty() {
		return
	}
	if err := b.transmit(batch); err != nil {
		b.log.Debug("bus: send nudges failed, will retry", "topics", len(batch.topics), "error", err)
		b.outbox.putBack(batch)
	}
}

// errMoved means that a batch was begun on one connection and confirmed on the next, which
// does not prove that the first delivered it.
var errMoved = errors.New("the connection was replaced while sending")

func (b *bridge) transmit(batch batch) error {
	connection := b.conn.Stats().Reconnects
	if batch.all {
		if err := b.conn.Publish(subject, nil); err != nil {
			return err
		}
	}
	for topic := range batch.topics {
		err := b.conn.Publish(subject, []byte(topic))
		if errors.Is(err, nats.ErrMaxPayload) {
			continue // no topic of ours is that long, and it would be refused forever
		}
		if err != nil {
			return err
		}
	}
	if err := b.conn.FlushTimeout(answerIn); err != nil {
		return err
	}
	if b.conn.Stats().Reconnects != connection {
		return errMoved
	}
	return nil
}

func (b *bridge) ping(ctx context.Context) error {
	// The library would wait for the whole context on a lost connection.
	if !b.conn.IsConnected() {
		return errors.New("bus: not connected to NATS")
	}
	ctx, cancel := context.WithTimeout(ctx, answerIn)
	defer cancel()
	if err := b.conn.FlushWithContext(ctx); err != nil {
		return fmt.Errorf("bus: NATS does not answer: %w", err)
	}
	return nil
}

func (b *bridge) close() {
	close(b.stop)
	<-b.done
	b.conn.Close()
}
