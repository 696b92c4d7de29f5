package bus

import (
	"context"
	"log/slog"
	"sync"
)

// Bus wakes subscribers on this node and, when bridged, on all others. It is safe for
// concurrent use.
type Bus struct {
	hub    hub
	bridge *bridge // nil when this node is alone
	once   sync.Once
}

// Open makes a bus. An empty natsURL keeps nudges in this process; otherwise it is one
// NATS URL or a comma-separated list of servers of one cluster. Open fails when no server
// can be reached within a few seconds, because a node without its bridge would be slow
// without a visible reason. Once open, the bus survives any outage of NATS and reconnects
// on its own; ctx limits only the opening.
func Open(ctx context.Context, natsURL string, log *slog.Logger) (*Bus, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	b := &Bus{hub: hub{topics: make(map[string]*topic)}}
	if natsURL == "" {
		return b, nil
	}
	bridge, err := openBridge(ctx, natsURL, &b.hub, log)
	if err != nil {
		return nil, err
	}
	b.bridge = bridge
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

// Subscribe listens to one or more topics until the subscription is closed.
func (b *Bus) Subscribe(topics ...string) *Subscription {
	return b.hub.subscribe(topics)
}

// Ping reports whether nudges can travel: a round trip to NATS, or nothing at
// all when this node is alone.
func (b *Bus) Ping(ctx context.Context) error {
	if b.bridge == nil {
		return nil
	}
	return b.bridge.ping(ctx)
}

// Close sends the waiting nudges and leaves NATS. Subscriptions stay usable on this node,
// so the order in which a process closes its parts does not matter.
func (b *Bus) Close() {
	b.once.Do(func() {
		if b.bridge != nil {
			b.bridge.close()
		}
	})
}
