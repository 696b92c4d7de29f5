package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atelier-project/atelier/bench/load"
)

// readers are all who read streams of a server.
type readers struct {
	live atomic.Int64 // who have been told all that was there

	mu     sync.Mutex
	began  time.Time // what the times in messages count from
	delays []float64 // from the call to the reader, in milliseconds
}

func newReaders() *readers { return &readers{began: time.Now()} }

// open opens the streams and waits until all are live.
func (r *readers) open(ctx context.Context, wg *sync.WaitGroup, s *streaming, many int) error {
	fault := make(chan error, many)
	for who := range load.Openers {
		wg.Go(func() {
			for i := who; i < many && ctx.Err() == nil; i += load.Openers {
				c, err := load.DialStream(ctx, s.URL, s.headers)
				if err != nil {
					fault <- err
					return
				}
				wg.Go(func() {
					defer c.Close()
					err := c.Follow(s.path(i%followed), load.Forever, r.reader())
					if ctx.Err() == nil {
						fault <- fmt.Errorf("a stream ended: %w", err)
					}
				})
			}
		})
	}
	for late := time.After(2 * load.Patience); int(r.live.Load()) < many; {
		select {
		case err := <-fault:
			return fmt.Errorf("after %d of %d streams: %w", r.live.Load(), many, err)
		case <-late:
			return fmt.Errorf("only %d of %d streams are live", r.live.Load(), many)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

var (
	statusFrame  = []byte("event: workflow_status")
	messageField = []byte(`"message":"`)
)

// reader reads the lines of one stream.
func (r *readers) reader() func(line []byte) error {
	live := false
	return func(line []byte) error {
		if !live && bytes.HasPrefix(line, statusFrame) {
			live = true
			r.live.Add(1)
		}
		// The first message of a frame is the event's own.
		if _, rest, found := bytes.Cut(line, messageField); found {
			digits, _, _ := bytes.Cut(rest, []byte(`"`))
			if at, err := strconv.ParseInt(string(digits), 10, 64); err == nil {
				r.note(time.Duration(at))
			}
		}
		return nil
	}
}

// note takes down how long a message that was sent at some time was under way.
func (r *readers) note(at time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.delays = append(r.delays, load.Milliseconds(time.Since(r.began)-at))
}

// tell has logs tell the time, in turn and evenly over the span. A teller that is late does not hold up the others, and
// its delay counts.
func (r *readers) tell(ctx context.Context, s *streaming, span time.Duration) (sent int, err error) {
	type call struct {
		log int
		at  time.Duration
	}
	// Each teller has the logs that are its own, so that each job is reported by the worker that holds it.
	var queues [streamTellers]chan call
	total := int(span.Seconds() * eventRate)
	for who := range queues {
		queues[who] = make(chan call, total)
	}
	told := make(chan error, 1)
	go func() {
		told <- load.Together(streamTellers, func(who int) error {
			for c := range queues[who] {
				if err := s.tell(who, c.log, strconv.FormatInt(int64(c.at), 10)); err != nil {
					return err
				}
			}
			return nil
		})
	}()
	tick := time.NewTicker(time.Second / eventRate)
	defer tick.Stop()
	for sent < total && ctx.Err() == nil {
		<-tick.C
		log := sent % followed
		queues[log%streamTellers] <- call{log, time.Since(r.began)}
		sent++
	}
	for _, q := range queues {
		close(q)
	}
	return sent, errors.Join(<-told, ctx.Err())
}

// delivered waits until every reader has every message.
func (r *readers) delivered(ctx context.Context, want int) ([]float64, error) {
	for late := time.Now().Add(10 * time.Second); ; {
		r.mu.Lock()
		got := r.delays
		r.mu.Unlock()
		if len(got) >= want {
			return got, nil
		}
		if time.Now().After(late) {
			return got, fmt.Errorf("%d of %d messages arrived", len(got), want)
		}
		if err := load.Sleep(ctx, 20*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// sample is what a stream tells until it is live.
func (s *streaming) sample(ctx context.Context) (told []byte, err error) {
	c, err := load.DialStream(ctx, s.URL, s.headers)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	live := false
	err = c.Follow(s.path(0), load.Patience, func(line []byte) error {
		told = append(append(told, line...), '\n')
		live = live || bytes.HasPrefix(line, statusFrame)
		if live && len(line) == 0 {
			return load.ErrEnough
		}
		return nil
	})
	return told, err
}
