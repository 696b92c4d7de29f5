package live

import (
	"context"
	"iter"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/store"
)

// Topic is what a stream can follow: the topics of the store, and the network of workers.
type Topic = store.Topic

// The topics that callers name.
const (
	Runs    Topic = store.TopicRuns
	Workers Topic = "workers"
)

// Topics are all topics.
var Topics = []Topic{store.TopicWorkflows, Runs, store.TopicArtifacts, store.TopicBalance, store.TopicLoras, Workers}

// Engine follows accounts. It is safe for concurrent use.
type Engine struct {
	db      *store.DB
	bus     *bus.Bus
	network pulse
}

// New makes an engine, and publishes what the store reports from now on.
func New(db *store.DB, b *bus.Bus) *Engine {
	db.OnChange(func(c store.AccountChange) { b.Publish(topicOf(c)) })
	return &Engine{db: db, bus: b, network: pulse{bus: b}}
}

// topicOf is the topic on the bus that is nudged when something of an account has changed.
func topicOf(c store.AccountChange) string { return string(c.Topic) + "/" + string(c.Wallet) }

const (
	// pause is the least time between two reads for a stream. What changes
	// meanwhile is told once.
	pause = 200 * time.Millisecond

	// lookAgain is how long a lost nudge, or a change by another program, can go
	// unnoticed.
	lookAgain = time.Minute
)

// Follow tells what changes of an account until ctx ends or the caller stops: first
// ready, then the states that change. Without news it yields nil at every beat.
func (e *Engine) Follow(ctx context.Context, w atelier.Wallet, topics []Topic, beat time.Duration) iter.Seq2[atelier.Payload, error] {
	return func(yield func(atelier.Payload, error) bool) {
		s := e.open(w, topics)
		defer s.close()
		beats := time.NewTicker(beat)
		defer beats.Stop()
		again := time.NewTicker(lookAgain)
		defer again.Stop()
		news, err := s.read(ctx)
		for first := true; ; first = false {
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if first {
				news = []atelier.Payload{apitype.Ready{}}
			}
			for _, n := range news {
				if !yield(n, nil) {
					return
				}
			}
			if !s.wait(ctx, beats.C, again.C, func() bool { return yield(nil, nil) }) {
				return
			}
			news, err = s.read(ctx)
		}
	}
}
