package main

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"github.com/atelier-project/atelier/bench/bare"
	"github.com/atelier-project/atelier/bench/load"
	"github.com/atelier-project/atelier/bench/measure"
	"github.com/atelier-project/atelier/bench/server"
	"github.com/atelier-project/atelier/bench/work"
)

// What is opened and told.
const (
	mostStreams   = 10_000
	followed      = 1_000 // workflows that they follow
	eventRate     = 100   // events a second, while their delivery is measured
	eventTurns    = 5     // how long that is, in turns of the run
	heartbeats    = 17    // how long streams stay open before they are weighed, in turns: with a second each, longer than the time between heartbeats
	streamTurns   = 3
	streamTellers = followed/work.MostJobs + 1
)

// streaming is a server with streams that can be followed and made to tell something.
type streaming struct {
	*server.Process
	headers string
	path    func(log int) string
	tell    func(who, log int, message string) error // one of the tellers has a log tell a message
	stop    func()
}

// streams measures what open event streams cost, and how soon they tell what happens, beside the same on a bare
// net/http server. The readers are in this process, so that their memory is not the server's.
func (b *bench) streams(ctx context.Context) error {
	many := max(1, b.scaled(mostStreams)/followed) * followed
	b.out.Begin("Streams", fmt.Sprintf("%s open event streams of %s running workflows, SQLite, beside a bare net/http server",
		measure.Number(float64(many)), measure.Number(followed)))
	if err := allowFiles(4*many + 1000); err != nil { // two for each connection, as the service wants, and one account has half
		b.out.Skip("streams", err.Error())
		return nil
	}
	var first []byte
	var memory, p50, p99 [2]measure.Side
	for turn := range streamTurns {
		for i, open := range []func() (*streaming, error){
			func() (*streaming, error) { return b.ownStreams(ctx, fmt.Sprint("streams-", turn)) },
			func() (*streaming, error) { return bareStreams(ctx, first) },
		} {
			s, err := open()
			if err != nil {
				return err
			}
			if first == nil {
				if first, err = s.sample(ctx); err != nil {
					s.stop()
					return err
				}
			}
			each, delays, err := b.measureStreams(ctx, s, many)
			s.stop()
			if err != nil {
				return err
			}
			name := []string{"atelier", "bare"}[i]
			memory[i] = measure.Side{Name: name, Unit: "KB", Turns: append(memory[i].Turns, each)}
			p50[i] = measure.Side{Name: name, Unit: "ms", Turns: append(p50[i].Turns, measure.Percentile(delays, 50))}
			p99[i] = measure.Side{Name: name, Unit: "ms", Turns: append(p99[i].Turns, measure.Percentile(delays, 99))}
		}
	}
	b.out.Add(measure.Added("memory of a stream, added to a bare one", memory[0], memory[1]))
	b.out.Add(measure.Ratio(fmt.Sprintf("delivery, p50, %d events/s, to bare", eventRate), measure.Less, p50[0], p50[1]))
	b.out.Add(measure.Ratio(fmt.Sprintf("delivery, p99, %d events/s, to bare", eventRate), measure.Less, p99[0], p99[1]))
	return nil
}

// ownStreams starts the service, the workflows that are followed, and workers that begin them, so that they stay under
// way. Each job is held by the worker of the same number, modulo the workers.
func (b *bench) ownStreams(ctx context.Context, name string) (out *streaming, err error) {
	s, err := work.Open(ctx, b.service(name), 1)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.Stop()
		}
	}()
	c, err := load.Dial(ctx, s.URL, s.Clients[0])
	if err != nil {
		return nil, err
	}
	defer c.Close()
	w, err := s.Connect(ctx, streamTellers, 1)
	if err != nil {
		return nil, err
	}
	var tasks []work.Task
	var ids []string
	plan := work.Plan(1)
	for i := range followed {
		id, err := work.Start(c, plan)
		if err != nil {
			return nil, err
		}
		t, came, err := w.All[i%len(w.All)].Claim()
		if err != nil {
			return nil, err
		}
		if !came {
			return nil, load.ErrUnfinished
		}
		tasks, ids = append(tasks, t), append(ids, id)
	}
	return &streaming{
		Process: s.Process, headers: s.Clients[0], stop: func() { w.Close(); s.Stop() },
		path: func(i int) string { return work.StreamPath(ids[i]) },
		// Its progress must not fall, and need not rise: the message is news.
		tell: func(who, i int, message string) error { return w.All[who].Progress(tasks[i], 0.5, message) },
	}, nil
}

// bareStreams starts the bare server, with as many who can have it tell something as the service has.
func bareStreams(ctx context.Context, first []byte) (*streaming, error) {
	p, err := bare.StartStreams(ctx, first)
	if err != nil {
		return nil, err
	}
	conns, err := load.DialAll(ctx, p.URL, streamTellers, "")
	if err != nil {
		p.Stop()
		return nil, err
	}
	path := func(i int) string { return "/logs/" + strconv.Itoa(i) }
	return &streaming{
		Process: p, path: path, stop: func() { load.CloseAll(conns); p.Stop() },
		tell: func(who, i int, message string) error {
			_, err := conns[who].Want(204, "POST", path(i), "", []byte(message))
			return err
		},
	}, nil
}

// measureStreams opens the streams, weighs them and has them tell something: how many KB of the server's memory each
// takes, and how many milliseconds messages are under way.
func (b *bench) measureStreams(ctx context.Context, s *streaming, many int) (each float64, delays []float64, err error) {
	inner, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	if err := b.settle(ctx); err != nil {
		return 0, nil, err
	}
	before := s.Memory(server.Resident)
	r := newReaders()
	if err := r.open(inner, &wg, s, many); err != nil {
		return 0, nil, err
	}
	// What a stream needs for heartbeats counts too.
	if err := load.Sleep(ctx, heartbeats*b.turn); err != nil {
		return 0, nil, err
	}
	each = (s.Memory(server.Resident) - before) * 1024 / float64(many)
	sent, err := r.tell(ctx, s, eventTurns*b.turn)
	if err != nil {
		return 0, nil, err
	}
	delays, err = r.delivered(ctx, sent*(many/followed))
	return each, delays, err
}
