package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// share is what the parts of a one-step workflow take: all of a part before
// the next begins, with as many at once as in the whole.
type share struct {
	names []string
	each  []time.Duration // of one workflow
}

// shareWorkflows is how many workflows are taken apart.
const shareWorkflows = rateWorkers * mostJobs

// shares takes workflows apart.
func (s *benchService) shares(ctx context.Context) (out share, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	conns, err := dialAll(ctx, s.url, s.keys, rateWorkers*rateConns)
	if err != nil {
		return out, err
	}
	defer closeAll(conns)
	c, err := startWorkers(ctx, s.url, s.worker, rateWorkers, rateConns)
	defer c.stop()
	if err != nil {
		return out, err
	}
	const each = shareWorkflows / (rateWorkers * rateConns)
	tasks := make([][each]task, len(c))
	body := plan(1)
	parts := []struct {
		name string
		do   func(who, i int) error
	}{
		{"start", func(who, _ int) error { _, err := conns[who].start(body); return err }},
		{"claim", func(who, i int) error {
			t, came, err := c[who].claim()
			if tasks[who][i] = t; err == nil && !came {
				err = errUnfinished
			}
			return err
		}},
		{"complete", func(who, i int) error { return c[who].complete(tasks[who][i], false) }},
	}
	for _, p := range parts {
		began := time.Now()
		if err := together(len(c), each, p.do); err != nil {
			return out, fmt.Errorf("%s: %w", p.name, err)
		}
		out.names = append(out.names, p.name)
		out.each = append(out.each, time.Since(began)/shareWorkflows)
	}
	return out, nil
}

// together has many do something so often each, at once.
func together(many, often int, do func(who, i int) error) error {
	var wg sync.WaitGroup
	errs := make([]error, many)
	for who := range many {
		wg.Go(func() {
			for i := 0; i < often && errs[who] == nil; i++ {
				errs[who] = do(who, i)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (s share) String() string {
	var words []string
	for i, d := range s.each {
		words = append(words, fmt.Sprintf("%s %d", s.names[i], d.Microseconds()))
	}
	return "µs: " + strings.Join(words, ", ")
}
