package live

import (
	"context"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/store"
)

// stream is one reader that follows an account.
type stream struct {
	engine  *Engine
	watches [5]watch // of the topics of the store, in the order of Topics
	network bool     // the network is followed
	tick    <-chan struct{}
	ticked  bool // the network has changed since it was told
}

// watch is a topic that a stream follows. The zero watch follows none.
type watch struct {
	sub    *bus.Subscription
	nudges <-chan struct{} // of the subscription
	seen   reader
	stale  bool // it may have changed since it was read
}

// reader reads what has changed in a topic since it read last. The first time nothing
// has. It reports a gap when more may have changed than it returns.
type reader interface {
	read(tx *store.Tx) (news []atelier.Payload, gap bool, err error)
}

// open subscribes before anything is read, so that no change is missed.
func (e *Engine) open(w atelier.Wallet, topics []Topic) *stream {
	s := &stream{engine: e, network: slices.Contains(topics, Workers)}
	readers := [len(s.watches)]reader{&workflowReader{wallet: w}, &runReader{wallet: w}, &artifactReader{wallet: w}, &balanceReader{wallet: w}, &loraReader{wallet: w}}
	for i := range s.watches {
		if slices.Contains(topics, Topics[i]) {
			sub := e.bus.Subscribe(topicOf(store.AccountChange{Wallet: w, Topic: Topics[i]}))
			s.watches[i] = watch{sub: sub, nudges: sub.C(), seen: readers[i], stale: true}
		}
	}
	if s.network {
		s.tick = e.network.enter()
	}
	return s
}

func (s *stream) close() {
	for _, w := range s.watches {
		if w.sub != nil {
			w.sub.Close()
		}
	}
	if s.network {
		s.engine.network.leave()
	}
}

// wait waits for the pause, and then until something may have changed. It calls heartbeat
// at every beat, and reports false when the stream has ended.
func (s *stream) wait(ctx context.Context, beats, again <-chan time.Time, heartbeat func() bool) bool {
	if !clock.Sleep(ctx, pause) {
		return false
	}
	w := &s.watches
	for {
		select {
		case <-ctx.Done():
			return false
		case <-beats:
			if !heartbeat() {
				return false
			}
			continue
		case <-again:
			for i := range w {
				w[i].stale = w[i].sub != nil
			}
		case <-s.tick:
			s.tick, s.ticked = s.engine.network.next(), true
		case <-w[0].nudges:
			w[0].stale = true
		case <-w[1].nudges:
			w[1].stale = true
		case <-w[2].nudges:
			w[2].stale = true
		case <-w[3].nudges:
			w[3].stale = true
		case <-w[4].nudges:
			w[4].stale = true
		}
		return true
	}
}

// read reads the topics that may have changed.
func (s *stream) read(ctx context.Context) (news []atelier.Payload, err error) {
	gap := false
	for i := range s.watches {
		w := &s.watches[i]
		select {
		case <-w.nudges:
			w.stale = true
		default:
		}
		if !w.stale {
			continue
		}
		w.stale = false
		var (
			some   []atelier.Payload
			missed bool
		)
		err := s.engine.db.ReadDetached(ctx, func(tx *store.Tx) (err error) {
			some, missed, err = w.seen.read(tx)
			return err
		})
		if err != nil {
			return nil, err
		}
		news, gap = append(news, some...), gap || missed
	}
	if s.ticked {
		s.ticked = false
		news = append(news, apitype.NetworkChanged{})
	}
	if gap {
		return []atelier.Payload{apitype.Ready{}}, nil
	}
	return news, nil
}
