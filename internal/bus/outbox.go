package bus

import "sync"

// outboxTopics is how many different topics may wait to be sent. Beyond it the outbox keeps
// one nudge for all subscribers: an outage then costs a bounded amount of memory here and
// one extra read by each subscriber afterwards.
const outboxTopics = 16384

// outbox holds the topics that other nodes have not received yet. It is a set: a topic
// published a thousand times during one round trip is sent once.
type outbox struct {
	mu    sync.Mutex
	batch batch
	ready chan struct{} // holds one signal while the batch may be non-empty
}

// batch is what is sent in one round trip.
type batch struct {
	topics map[string]struct{}
	all    bool // wake all; topics is then not used
}

func (b batch) empty() bool { return !b.all && len(b.topics) == 0 }

func (o *outbox) add(topic string) {
	o.mu.Lock()
	o.batch.add(topic)
	o.mu.Unlock()
	o.signal()
}

func (o *outbox) addAll() {
	o.mu.Lock()
	o.batch = batch{all: true}
	o.mu.Unlock()
	o.signal()
}

func (b *batch) add(topic string) {
	switch {
	case b.all:
	case len(b.topics) >= outboxTopics:
		b.all, b.topics = true, nil
	case b.topics == nil:
		b.topics = map[string]struct{}{topic: {}}
	default:
		b.topics[topic] = struct{}{}
	}
}

// drain empties the outbox and returns its content.
func (o *outbox) drain() batch {
	o.mu.Lock()
	defer o.mu.Unlock()
	b := o.batch
	o.batch = batch{}
	return b
}

// putBack returns a batch that was not confirmed. Some of it may have arrived; a nudge may
// arrive twice.
func (o *outbox) putBack(b batch) {
	o.mu.Lock()
	if b.all {
		o.batch = b
	}
	for topic := range b.topics {
		o.batch.add(topic)
	}
	o.mu.Unlock()
	o.signal()
}

func (o *outbox) signal() {
	select {
	case o.ready <- struct{}{}:
	default:
	}
}
