package llm

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// breaker keeps requests away from a server that fails. While it is open, and
// only then, the server is asked now and then whether it lives again.
type breaker struct {
	life      context.Context // of the server; nobody probes after it
	probe     func(context.Context) error
	recovered func() // called when it closes again
	log       *slog.Logger
	name      string
	pause     time.Duration // between probes; five seconds when zero

	mu       sync.Mutex
	failures int // in a row
	open     bool
}

// tolerated is how many failures in a row open the breaker.
const tolerated = 3

func (b *breaker) closed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.open
}

func (b *breaker) succeeded() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures = 0
	if b.open {
		b.open = false
		b.log.Info("a model server is back", "upstream", b.name)
		b.recovered()
	}
}

func (b *breaker) failed() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures++; b.failures < tolerated || b.open {
		return
	}
	b.open = true
	b.log.Warn("a model server is left alone until it answers again", "upstream", b.name)
	go b.wait()
}

// wait probes the server until it lives.
func (b *breaker) wait() {
	pause := b.pause
	if pause == 0 {
		pause = 5 * time.Second
	}
	for {
		select {
		case <-b.life.Done():
			return
		case <-time.After(pause):
		}
		if b.closed() {
			return // a request that had nowhere else to go got through
		}
		ctx, cancel := context.WithTimeout(b.life, pause)
		err := b.probe(ctx)
		cancel()
		if err == nil {
			b.succeeded()
			return
		}
	}
}
