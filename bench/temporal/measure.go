package main

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// finished is how many one-step workflows end a second while many are under
// way. A client waits for the end of each it has started.
func (b bench) finished(ctx context.Context, span time.Duration) (float64, error) {
	stop, err := b.work()
	if err != nil {
		return 0, err
	}
	defer stop()
	return rate(ctx, span, outstanding, func(ctx context.Context) error {
		run, err := b.start(ctx, served, 1)
		if err != nil {
			return err
		}
		return run.Get(ctx, nil)
	})
}

// accepted is how many starts a second a number of clients get accepted, with
// no worker to do the work.
func (b bench) accepted(ctx context.Context, span time.Duration, clients int) (float64, error) {
	return rate(ctx, span, clients, func(ctx context.Context) error {
		_, err := b.start(ctx, unserved, 1)
		return err
	})
}

// rate is how often a second many can do something at once, after a fifth of
// the span to warm up.
func rate(ctx context.Context, span time.Duration, many int, do func(context.Context) error) (float64, error) {
	var (
		wg    sync.WaitGroup
		count atomic.Int64
		over  atomic.Bool
		fault = make(chan error, many)
	)
	for range many {
		wg.Go(func() {
			for !over.Load() {
				if err := do(ctx); err != nil {
					fault <- err
					return
				}
				count.Add(1)
			}
		})
	}
	perSecond, err := watch(ctx, span, &count, fault)
	over.Store(true)
	wg.Wait()
	return perSecond, err
}

func watch(ctx context.Context, span time.Duration, count *atomic.Int64, fault <-chan error) (float64, error) {
	var before int64
	var began time.Time
	for _, d := range []time.Duration{span / 5, span} {
		before, began = count.Load(), time.Now()
		select {
		case <-time.After(d):
		case err := <-fault:
			return 0, err
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	return float64(count.Load()-before) / time.Since(began).Seconds(), nil
}

// chained is how long chains take from the call that starts one to the answer
// that it has ended, one after the other, in milliseconds.
func (b bench) chained(ctx context.Context, chains, steps int) ([]float64, error) {
	stop, err := b.work()
	if err != nil {
		return nil, err
	}
	defer stop()
	const warm = 3
	var took []float64
	for i := range warm + chains {
		began := time.Now()
		run, err := b.start(ctx, served, steps)
		if err != nil {
			return nil, err
		}
		if err := run.Get(ctx, nil); err != nil {
			return nil, err
		}
		if i >= warm {
			took = append(took, float64(time.Since(began).Microseconds())/1e3)
		}
	}
	return took, nil
}
