package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// streaming is a server with streams that can be followed and made to tell
// something.
type streaming struct {
	*process
	key     string
	path    func(log int) string
	tell    func(who, log int, message string) error // one of the tellers has a log tell a message
	tellers int
}

// streamFigures is what is measured of streams.
type streamFigures struct {
	each   int64     // bytes of the server's memory that a stream takes
	known  bool      // whether the system tells
	delays []float64 // from the call to the reader, in milliseconds
}

// readers are all who read streams of a server.
type readers struct {
	live atomic.Int64 // who have been told all that was there

	mu     sync.Mutex
	began  time.Time // what the times in messages count from
	delays []float64
}

// measure opens the streams, weighs them and has them tell something.
func (s streaming) measure(ctx context.Context, turn time.Duration) (out streamFigures, err error) {
	inner, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	if err := sleep(ctx, settle); err != nil {
		return out, err
	}
	before, known := s.memory("VmRSS")
	r := &readers{began: time.Now()}
	if err := r.open(inner, &wg, s); err != nil {
		return out, err
	}
	// Longer than the time between heartbeats: what a stream needs for them
	// counts too.
	if err := sleep(ctx, streamSettle); err != nil {
		return out, err
	}
	after, _ := s.memory("VmRSS")
	out.each, out.known = (after-before)/int64(openStreams), known
	sent, err := r.tell(ctx, s, eventTurns*turn)
	if err != nil {
		return out, err
	}
	out.delays, err = r.delivered(ctx, sent*(openStreams/followed))
	return out, err
}

// openers is how many streams are opened at once.
const openers = 32

// open opens the streams and waits until all are live.
func (r *readers) open(ctx context.Context, wg *sync.WaitGroup, s streaming) error {
	fault := make(chan error, openers+openStreams)
	next := make(chan int)
	go func() {
		defer close(next)
		for i := range openStreams {
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	for range openers {
		wg.Go(func() {
			for i := range next {
				l, err := dialRaw(ctx, s.url, s.key)
				if err != nil {
					fault <- err
					return
				}
				body, err := l.follow(s.path(i % followed))
				if err != nil {
					fault <- err
					return
				}
				wg.Go(func() {
					defer l.close()
					if err := r.read(body); ctx.Err() == nil {
						fault <- err
					}
				})
			}
		})
	}
	for late := time.After(2 * patience); int(r.live.Load()) < openStreams; {
		select {
		case err := <-fault:
			return fmt.Errorf("after %d of %d streams: %w", r.live.Load(), openStreams, err)
		case <-late:
			return fmt.Errorf("only %d of %d streams are live", r.live.Load(), openStreams)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

// follow opens a stream that stays open: no deadline.
func (l *rawConn) follow(path string) (io.Reader, error) {
	l.in = nil // streams are read otherwise
	resp, err := (&listener{l, bufio.NewReaderSize(l.conn, 1<<10)}).open(path)
	if err != nil {
		l.close()
		return nil, err
	}
	return resp.Body, l.conn.SetDeadline(time.Time{})
}

var (
	statusFrame  = []byte("event: workflow_status")
	messageField = []byte(`"message":"`)
)

// read reads one stream until it ends, which it should not.
func (r *readers) read(body io.Reader) error {
	frames := bufio.NewScanner(body)
	frames.Buffer(make([]byte, 1<<10), 1<<20)
	live := false
	for frames.Scan() {
		text := frames.Bytes()
		if !live && bytes.HasPrefix(text, statusFrame) {
			live = true
			r.live.Add(1)
		}
		// The first message of a frame is the event's own.
		if _, rest, ok := bytes.Cut(text, messageField); ok {
			digits, _, _ := bytes.Cut(rest, []byte(`"`))
			if at, err := strconv.ParseInt(string(digits), 10, 64); err == nil {
				r.note(time.Duration(at))
			}
		}
	}
	if err := frames.Err(); err != nil {
		return err
	}
	return errors.New("a stream ended")
}

// note takes down how long a message that was sent at some time was under way.
func (r *readers) note(at time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.delays = append(r.delays, float64((time.Since(r.began)-at).Microseconds())/1e3)
}

// tell has logs tell the time, in turn and evenly over the span. A teller that
// is late does not hold up the others, and its delay counts.
func (r *readers) tell(ctx context.Context, s streaming, span time.Duration) (sent int, err error) {
	type call struct {
		log int
		at  time.Duration
	}
	// Each teller has the logs that are its own, so that each job is reported by
	// the worker that holds it.
	queues := make([]chan call, s.tellers)
	errs := make([]error, s.tellers)
	var wg sync.WaitGroup
	total := int(span.Seconds() * eventRate)
	for who := range queues {
		queues[who] = make(chan call, total)
		wg.Go(func() {
			for c := range queues[who] {
				if errs[who] == nil {
					errs[who] = s.tell(who, c.log, strconv.FormatInt(int64(c.at), 10))
				}
			}
		})
	}
	tick := time.NewTicker(time.Second / eventRate)
	defer tick.Stop()
	for sent < total && ctx.Err() == nil {
		<-tick.C
		log := sent % followed
		queues[log%s.tellers] <- call{log, time.Since(r.began)}
		sent++
	}
	for _, q := range queues {
		close(q)
	}
	wg.Wait()
	return sent, errors.Join(append(errs, ctx.Err())...)
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
		if err := sleep(ctx, 20*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// sample is what a stream tells until it is live.
func (s streaming) sample(ctx context.Context) ([]byte, error) {
	l, err := dialRaw(ctx, s.url, s.key)
	if err != nil {
		return nil, err
	}
	defer l.close()
	body, err := l.follow(s.path(0))
	if err != nil {
		return nil, err
	}
	if err := l.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	var told []byte
	for buf := make([]byte, 4<<10); ; {
		n, err := body.Read(buf)
		told = append(told, buf[:n]...)
		if _, status, ok := bytes.Cut(told, statusFrame); ok && bytes.HasSuffix(status, []byte("\n\n")) {
			return told, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
