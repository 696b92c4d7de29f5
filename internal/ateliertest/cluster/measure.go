package cluster

import (
	"context"
	"sync"
	"time"
)

// Measured is how fast something was done.
type Measured struct {
	PerSecond float64
	Latencies Latencies
	Err       error // the first failure
}

// whole is the kind of what was done as a whole.
const whole = "whole"

// Measure has clients do something again and again for a while. What they do may take the time of its parts down.
// The first fifth of the time warms the service up.
func Measure(ctx context.Context, many int, span time.Duration, do func(part *Latencies) error) *Measured {
	var (
		m     Measured
		mu    sync.Mutex
		wg    sync.WaitGroup
		early Latencies // of the time in which the service warms up
		began = time.Now()
		warm  = began.Add(span / 5)
	)
	for range many {
		wg.Go(func() {
			for ctx.Err() == nil && time.Since(began) < span {
				at, into := time.Now(), &m.Latencies
				if at.Before(warm) {
					into = &early
				}
				if err := do(into); err != nil {
					mu.Lock()
					if m.Err == nil {
						m.Err = err
					}
					mu.Unlock()
					continue
				}
				into.Add(whole, time.Since(at))
			}
		})
	}
	wg.Wait()
	m.PerSecond = float64(m.Latencies.Count(whole)) / time.Since(warm).Seconds()
	return &m
}

// Whole is what p of a hundred did not exceed, in milliseconds.
func (m *Measured) Whole(p int) float64 { return m.Latencies.Percentile(whole, p) }

// Complete asks for a chat completion through the balancer.
func (c *Cluster) Complete(ctx context.Context, a Account, script string) error {
	_, err := complete(ctx, c.URL, a.Key, script)
	return err
}

// RunNodes has as many nodes run, the first ones, and stops the others.
func (c *Cluster) RunNodes(many int) {
	c.t.Helper()
	for i, n := range c.Nodes {
		switch {
		case i < many && n.isGone():
			n.Start()
		case i >= many && !n.isGone():
			n.Stop()
		}
	}
}
