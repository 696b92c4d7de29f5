package worker

import (
	"context"
	"sync"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/clock"
)

// leastMeasured is the shortest time between two measurements of the machine: each starts a program.
const leastMeasured = 10 * time.Second

// measured is the newest measurement of the machine that the service does not have.
type measured struct {
	mu  sync.Mutex
	new *apitype.Machine
}

func (m *measured) put(machine apitype.Machine) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.new = &machine
}

// take returns a measurement once; nil when there is no new one.
func (m *measured) take() *apitype.Machine {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer func() { m.new = nil }()
	return m.new
}

// measure measures the machine of the renderer until ctx ends, beside the heartbeats: those must not wait
// for a driver or a disk that hangs.
func (w *Worker) measure(ctx context.Context, interval time.Duration) *measured {
	m := &measured{}
	if w.Machine != nil {
		go func() {
			for {
				m.put(w.Machine(ctx))
				if !clock.Sleep(ctx, max(interval, leastMeasured)) {
					return
				}
			}
		}()
	}
	return m
}
