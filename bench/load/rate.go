package load

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Together has many do something at once, and returns what failed.
func Together(many int, do func(who int) error) error {
	var wg sync.WaitGroup
	errs := make([]error, many)
	for who := range many {
		wg.Go(func() { errs[who] = do(who) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err // one says it all: they do the same thing
		}
	}
	return nil
}

// Calls is what clients saw who repeated a request.
type Calls struct {
	Whole []float64 // milliseconds to the end of an answer
	First []float64 // and to its first byte
	Rate  float64   // answers a second
}

// Repeat has clients repeat a request for some time, all at once.
func Repeat(ctx context.Context, conns []*Conn, request []byte, status int, d time.Duration) (out Calls, err error) {
	each := make([]Calls, len(conns))
	began := time.Now()
	err = Together(len(conns), func(who int) error {
		mine := &each[who]
		for end := time.Duration(0); end < d && ctx.Err() == nil; {
			asked := time.Since(began)
			if err := conns[who].Repeat(request, status); err != nil {
				return err
			}
			end = time.Since(began)
			mine.Whole = append(mine.Whole, Milliseconds(end-asked))
			mine.First = append(mine.First, Milliseconds(conns[who].First()))
		}
		return ctx.Err()
	})
	took := time.Since(began)
	for _, one := range each {
		out.Whole, out.First = append(out.Whole, one.Whole...), append(out.First, one.First...)
	}
	out.Rate = float64(len(out.Whole)) / took.Seconds()
	return out, err
}

// Milliseconds is a duration as a figure.
func Milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// Rate is how often a second something is done by many at once, after a fifth of the span to warm up. do gets the
// number of the one who does it.
func Rate(ctx context.Context, span time.Duration, many int, do func(who int) error) (float64, error) {
	var (
		wg    sync.WaitGroup
		count atomic.Int64
		over  atomic.Bool
		fault = make(chan error, many)
	)
	for who := range many {
		wg.Go(func() {
			for !over.Load() {
				if err := do(who); err != nil {
					fault <- err
					return
				}
				count.Add(1)
			}
		})
	}
	figure, err := Growth(ctx, span, &count, fault)
	over.Store(true)
	wg.Wait()
	return figure, err
}

// Growth is how much a count grows a second, after a fifth of the span to warm up.
func Growth(ctx context.Context, span time.Duration, count *atomic.Int64, fault <-chan error) (float64, error) {
	var (
		before int64
		began  time.Time
	)
	for _, d := range []time.Duration{span / 5, span} {
		before, began = count.Load(), time.Now()
		select {
		case err := <-fault:
			return 0, err
		case err := <-sleeping(ctx, d):
			if err != nil {
				return 0, err
			}
		}
	}
	return float64(count.Load()-before) / time.Since(began).Seconds(), nil
}

func sleeping(ctx context.Context, d time.Duration) <-chan error {
	done := make(chan error, 1)
	go func() { done <- Sleep(ctx, d) }()
	return done
}

// Sleep waits.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ErrUnfinished says that what was awaited did not come.
var ErrUnfinished = errors.New("some work never ended")
