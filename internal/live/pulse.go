package live

import (
	"context"
	"sync"
	"time"

	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/fleet"
)

// networkPause is the least time between two ticks about the network.
const networkPause = time.Second

// pulse ticks when the network of workers has changed, for all streams of the node
// together: every job changes it, which is too often for each stream to hear of.
type pulse struct {
	bus *bus.Bus

	mu      sync.Mutex
	readers int
	tick    chan struct{} // closed at the next tick
	stop    context.CancelFunc
}

// enter adds a reader. It returns the channel that is closed at the next tick.
func (p *pulse) enter() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.readers++; p.readers == 1 {
		ctx, cancel := context.WithCancel(context.Background())
		p.tick, p.stop = make(chan struct{}), cancel
		go p.run(ctx, p.bus.Subscribe(fleet.Topics()...))
	}
	return p.tick
}

func (p *pulse) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.readers--; p.readers == 0 {
		p.stop()
	}
}

// next is the channel that is closed at the next tick.
func (p *pulse) next() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tick
}

// run ticks while there are readers.
func (p *pulse) run(ctx context.Context, sub *bus.Subscription) {
	defer sub.Close()
	for clock.Wait(ctx, sub.C(), lookAgain) {
		p.mu.Lock()
		if ctx.Err() == nil { // else another run may have begun
			close(p.tick)
			p.tick = make(chan struct{})
		}
		p.mu.Unlock()
		if !clock.Sleep(ctx, networkPause) {
			return
		}
	}
}
