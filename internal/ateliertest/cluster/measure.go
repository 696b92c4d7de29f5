package cluster

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Measured is how fast something was done.
type Measured struct {
	PerSecond float64
	P99       time.Duration
	Err       error // the first failure
}

// Measure has clients do something again and again for a while. The first fifth of the time warms the service up.
func Measure(ctx context.Context, many int, span time.Duration, do func() error) (m Measured) {
	var (
		mu    sync.Mutex
		wg    sync.WaitGroup
		took  []time.Duration
		began = time.Now()
		warm  = began.Add(span / 5)
	)
	for range many {
		wg.Go(func() {
			for ctx.Err() == nil && time.Since(began) < span {
				at := time.Now()
				err := do()
				mu.Lock()
				if err != nil && m.Err == nil {
					m.Err = err
				}
				if at.After(warm) {
					took = append(took, time.Since(at))
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(took) == 0 {
		return m
	}
	m.PerSecond = float64(len(took)) / time.Since(warm).Seconds()
	slices.Sort(took)
	m.P99 = took[min(len(took)-1, len(took)*99/100)]
	return m
}

// Complete asks for a chat completion through the balancer.
func (c *Cluster) Complete(ctx context.Context, a Account, script string) error {
	_, err := complete(ctx, c.URL, a.Key, script)
	return err
}
