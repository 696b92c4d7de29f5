package llm

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// breaker keeps requests away from a server that fails. While it is open, it
// probes the server at intervals.
type breaker struct {
	life      context.Context // of the server: probing ends with it
	probe     func(context.Context) error
	recovered func() // called when the breaker closes again
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
		b.log.Info("model server recovered", "upstream", b.name)
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
	b.log.Warn("model server failed repeatedly, not asked until a probe succeeds", "upstream", b.name)
	go b.probeUntilReady()
}

// probeUntilReady probes the server until it answers.
func (b *breaker) probeUntilReady() {
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
			return // a request that no other server could take has succeeded
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
