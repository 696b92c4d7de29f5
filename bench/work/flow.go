package work

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atelier-project/atelier/bench/load"
)

// clients is how many start workflows at once, with the accounts in turn.
const clients = 32

// Finished is how many one-step workflows end a second while some are open at once. A workflow has ended when the last
// of its jobs is settled: what came of it is durable when the worker has its answer.
func (s *Service) Finished(ctx context.Context, span time.Duration, workers, each, open int) (rate float64, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := s.Connect(ctx, workers, each)
	if err != nil {
		return 0, err
	}
	conns, err := load.DialAll(ctx, s.URL, clients, s.Clients...)
	if err != nil {
		w.Close()
		return 0, err
	}
	defer load.CloseAll(conns)
	var (
		count atomic.Int64
		slots = make(chan struct{}, open)
		halt  = make(chan struct{})
		wg    sync.WaitGroup
		fault = make(chan error, clients+workers*each)
		plan  = Plan(1)
	)
	for _, c := range conns {
		wg.Go(func() {
			for {
				select {
				case slots <- struct{}{}:
				case <-halt:
					return
				}
				if _, err := Start(c, plan); err != nil {
					fault <- err
					return
				}
			}
		})
	}
	err = w.Run(func() { count.Add(1); <-slots }, fault, func() error {
		rate, err = load.Growth(ctx, span, &count, fault)
		close(halt)
		if err != nil {
			return err
		}
		// Let the workers finish: all is done when all of the slots are free.
		for range open {
			select {
			case slots <- struct{}{}:
			case err := <-fault:
				return err
			case <-time.After(load.Patience):
				return load.ErrUnfinished
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	cancel()
	wg.Wait()
	return rate, err
}

// One has a workflow done, from start to end.
func (s *Service) One(ctx context.Context) (id string, err error) {
	_, id, err = s.Chains(ctx, 1, 1)
	return id, err
}

// chainConns is how many connections the worker of chains has.
const chainConns = 4

// Chains is how long chains of steps take, one after the other: from the call that starts one to the event that it has
// ended, in milliseconds. It also returns the id of the last.
func (s *Service) Chains(ctx context.Context, many, steps int) (took []float64, last string, err error) {
	conns, err := load.DialAll(ctx, s.URL, 2, s.Clients[0])
	if err != nil {
		return nil, "", err
	}
	defer load.CloseAll(conns)
	w, err := s.Connect(ctx, 1, chainConns)
	if err != nil {
		return nil, "", err
	}
	plan := Plan(steps)
	fault := make(chan error, chainConns)
	err = w.Run(func() {}, fault, func() error {
		for range many {
			began := time.Now()
			if last, err = Start(conns[0], plan); err == nil {
				err = Await(conns[1], StreamPath(last), "workflow_completed", func() {})
			}
			if err != nil {
				select {
				case err = <-fault: // why it did not end
				default:
				}
				return err
			}
			took = append(took, load.Milliseconds(time.Since(began)))
		}
		return nil
	})
	return took, last, err
}

// Accepted is how many starts a second are accepted, with the accounts in turn. Nothing renders them.
func (s *Service) Accepted(ctx context.Context, span time.Duration, clients int) (float64, error) {
	return s.AcceptedOf(ctx, span, clients, s.Clients...)
}

// AcceptedOf is Accepted with these headers in turn.
func (s *Service) AcceptedOf(ctx context.Context, span time.Duration, clients int, headers ...string) (float64, error) {
	conns, err := load.DialAll(ctx, s.URL, clients, headers...)
	if err != nil {
		return 0, err
	}
	defer load.CloseAll(conns)
	plan := Plan(1)
	return load.Rate(ctx, span, clients, func(who int) error {
		_, err := Start(conns[who], plan)
		return err
	})
}
