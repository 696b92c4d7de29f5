package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
)

// What many open streams may cost.
const (
	mostStreams   = 10_000
	followed      = 1_000   // workflows that they follow
	streamMemory  = 8 << 10 // each, above what a baseline handler takes
	eventRate     = 100     // events a second, while their delivery is measured
	eventTurns    = 10      // how long that is
	streamSettle  = 17 * time.Second
	streamWorkers = followed/mostJobs + 1
)

// openStreams is how many streams are opened: fewer where a process may not open
// two files for each connection, as the service wants.
var openStreams = func() int {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil || files.Cur > 2*mostStreams+1000 {
		return mostStreams
	}
	return max(1, (int(files.Cur)-1000)/2/followed) * followed
}()

// streams measures what open event streams cost, and how soon they tell what
// happens, beside the same on a bare net/http server. The readers are in this
// process, so that their memory is not the server's.
func (b *bench) streams(ctx context.Context) error {
	b.out.part(fmt.Sprintf("Streams: %s open event streams of %s running workflows, SQLite", count(float64(openStreams)), count(followed)))
	s, err := b.startBenchService(ctx, "streams", "", 1)
	if err != nil {
		return err
	}
	defer s.stop()
	c, tasks, ids, err := s.occupy(ctx)
	defer c.stop()
	if err != nil {
		return err
	}
	ours := streaming{process: s.process, key: s.keys[0], path: func(i int) string { return streamPath(ids[i]) },
		tell: func(who, i int, message string) error {
			// Its progress must not fall, and need not rise: the message is news.
			return c[who].progress(tasks[i], 0.5, message)
		}, tellers: len(c)}
	first, err := ours.sample(ctx)
	if err != nil {
		return err
	}
	own, err := ours.measure(ctx, b.time)
	if errors.Is(err, syscall.EMFILE) {
		b.out.skip("streams", "this process may not open as many files: raise ulimit -n")
		return nil
	}
	if err != nil {
		return err
	}
	s.stop()
	baseline, stop, err := baselineStreaming(ctx, first)
	if err != nil {
		return err
	}
	defer stop()
	theirs, err := baseline.measure(ctx, b.time)
	if err != nil {
		return err
	}
	if own.known && theirs.known {
		above := own.each - theirs.each
		b.out.row("memory of a stream, above bare", kilobytes(above), aim("aim ≤ "+kilobytes(streamMemory)), above <= streamMemory,
			fmt.Sprintf("%s of %s resident", kilobytes(own.each), kilobytes(theirs.each)))
	} else {
		b.out.skip("memory of a stream", "this system does not tell it of a running process")
	}
	for _, p := range []int{50, 99} {
		b.out.row(fmt.Sprintf("delivery, p%d, %d events/s", p, eventRate), fmt.Sprintf("%.1f ms", percentile(own.delays, p)), "", true,
			fmt.Sprintf("bare %.1f ms; %s deliveries", percentile(theirs.delays, p), count(float64(len(own.delays)))))
	}
	return nil
}

func kilobytes(n int64) string { return fmt.Sprintf("%.1f KB", float64(n)/(1<<10)) }

// occupy starts the workflows that are followed and has workers begin them, so
// that they stay under way. Each job is held by the worker of the same number,
// modulo the workers.
func (s *benchService) occupy(ctx context.Context) (c benchWorkers, tasks []task, ids []string, err error) {
	l, err := dialRaw(ctx, s.url, s.keys[0])
	if err != nil {
		return nil, nil, nil, err
	}
	defer l.close()
	if c, err = startWorkers(ctx, s.url, s.worker, streamWorkers, 1); err != nil {
		return c, nil, nil, err
	}
	body := plan(1)
	for i := range followed {
		id, err := l.start(body)
		if err != nil {
			return c, nil, nil, err
		}
		t, came, err := c[i%len(c)].claim()
		if err != nil {
			return c, nil, nil, err
		}
		if !came {
			return c, nil, nil, errUnfinished
		}
		tasks, ids = append(tasks, t), append(ids, id)
	}
	return c, tasks, ids, nil
}
