package main

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// How many take part in the measurement of one-step workflows.
const (
	rateClients = 32  // accounts that start workflows
	rateWorkers = 8   // that render them
	rateConns   = 8   // of each worker
	rateOpen    = 256 // workflows under way at once
)

// finished is how many one-step workflows end a second while many are under
// way: the median of some turns. A workflow has ended when the last of its jobs is settled: what came of
// it is durable when the worker has its answer.
func (s *benchService) finished(ctx context.Context, span time.Duration) (float64, error) {
	inner, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	conns, err := dialAll(inner, s.url, s.keys, rateClients)
	if err != nil {
		return 0, err
	}
	defer closeAll(conns)
	c, err := startWorkers(inner, s.url, s.worker, rateWorkers, rateConns)
	defer c.stop()
	if err != nil {
		return 0, err
	}
	var (
		count atomic.Int64
		open  = make(chan struct{}, rateOpen)
		halt  = make(chan struct{})
		fault = make(chan error, len(conns)+len(c))
	)
	body := plan(1)
	for _, l := range conns {
		wg.Go(func() {
			for {
				select {
				case open <- struct{}{}:
				case <-halt:
					return
				case <-inner.Done():
					return
				}
				if _, err := l.start(body); err != nil {
					fault <- err
					return
				}
			}
		})
	}
	for _, h := range c {
		wg.Go(func() {
			for inner.Err() == nil {
				done, err := h.work()
				if err != nil {
					fault <- err
					return
				}
				if done {
					count.Add(1)
					<-open
				}
			}
		})
	}
	var rates []float64
	for range rateTurns {
		perSecond, err := watchCount(ctx, span, &count, fault)
		if err != nil {
			return 0, err
		}
		rates = append(rates, perSecond)
	}
	close(halt)
	// Let the workers finish, so that what is measured next begins with an
	// empty queue: it is empty when all of these can be sent.
	for range rateOpen {
		select {
		case open <- struct{}{}:
		case err := <-fault:
			return 0, err
		case <-time.After(patience):
			return 0, errUnfinished
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	return median(rates), nil
}
