package bus

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/atelier-project/atelier/internal/database"
)

// Bus wakes subscribers on this node and, when it has links, on all others. It is safe for
// concurrent use.
type Bus struct {
	hub    hub
	bridge *bridge // nil when this node is alone
	once   sync.Once

	mu    sync.Mutex
	again *time.Timer // has PublishAll wake all subscribers once more
}

// Options say how a bus reaches the other nodes. Without any it keeps nudges in this
// process.
type Options struct {
	// NATSURL is one NATS URL, or a comma-separated list of servers of one cluster.
	NATSURL string

	// Channel belongs to the PostgreSQL that the nodes share. It carries the nudges when
	// there is no NATS URL, and those of a node that has lost NATS. It is nil on SQLite.
	Channel *database.Channel

	Log *slog.Logger // discarded when nil

	// Heartbeat is how long a server may be silent until it is asked whether it is there,
	// and how long it then has to answer; 0 for a second.
	Heartbeat time.Duration
}

// openWithin is how long a start waits for the first connection.
const openWithin = 2 * time.Second

// Open makes a bus. It fails only when the options are not valid: a node whose servers are
// away starts without them and connects later, as it does after any outage. ctx limits only
// the opening.
func Open(ctx context.Context, o Options) (*Bus, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = time.Second
	}
	b := &Bus{hub: hub{topics: make(map[string]*topic)}}
	if err := ctx.Err(); err != nil || o.NATSURL == "" && o.Channel == nil {
		return b, err
	}
	bridge := newBridge(&b.hub, o.Log)
	if o.NATSURL != "" {
		l := bridge.line("NATS")
		nats, err := openNATS(o, l)
		if err != nil {
			return nil, err
		}
		l.link = nats
	}
	if o.Channel != nil {
		l := bridge.line("PostgreSQL")
		l.link = openPostgres(o, l)
	}
	bridge.start()
	b.bridge = bridge
	ctx, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	select {
	case <-bridge.lines[0].opened:
	case <-ctx.Done():
	}
	return b, nil
}

// Publish wakes all subscribers of the topic, here at once and on other nodes a moment
// later. It does not wait for them. The empty topic has no subscribers.
func (b *Bus) Publish(topic string) {
	if topic == "" {
		return
	}
	b.hub.wake(topic)
	if b.bridge != nil {
		b.bridge.outbox.add(topic)
	}
}

// PublishAll wakes all subscribers, here and on other nodes: something changed that is not known. They look now, and
// once more a moment later, because what changed may not be there yet.
func (b *Bus) PublishAll() {
	b.publishAll()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.again == nil {
		b.again = time.AfterFunc(lookEvery, b.publishAll)
	} else {
		b.again.Reset(lookEvery)
	}
}

func (b *Bus) publishAll() {
	b.hub.wakeAll()
	if b.bridge != nil {
		b.bridge.outbox.addAll()
	}
}

// Subscribe listens to one or more topics until the subscription is closed. While the bus
// is not connected, every subscriber is woken every two seconds.
func (b *Bus) Subscribe(topics ...string) *Subscription {
	return b.hub.subscribe(topics)
}

// Ping reports whether nudges of other nodes arrive, as far as is known: a link that
// breaks is noticed within two heartbeats. Nothing is missing when this node is alone.
func (b *Bus) Ping(context.Context) error {
	if b.bridge == nil {
		return nil
	}
	return b.bridge.lines[0].fault()
}

// IsAlone reports whether nudges reach this node only.
func (b *Bus) IsAlone() bool { return b.bridge == nil }

// Close sends the waiting nudges and leaves the servers. Subscriptions stay usable on this
// node, so the order in which a process closes its parts does not matter.
func (b *Bus) Close() {
	b.once.Do(func() {
		if b.bridge != nil {
			b.bridge.close()
		}
	})
}
