package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atelier-project/atelier/bench/gateway"
	"github.com/atelier-project/atelier/bench/load"
	"github.com/atelier-project/atelier/bench/measure"
	"github.com/atelier-project/atelier/bench/server"
	"github.com/atelier-project/atelier/bench/work"
)

const (
	runTurns   = 5
	runClients = 32
	talks      = 50   // runs at once whose words are measured
	pausedRuns = 1000 // that wait for their user
)

const runsPath = "/v1/chat/runs"

// runService is a service whose language model is in this process.
type runService struct {
	*server.Process
	model   *runModel
	clients []string // the headers of each account
}

// runs measures chat runs on SQLite, every accepted and ended run synced.
func (b *bench) runs(ctx context.Context) error {
	b.out.Begin("Runs", fmt.Sprintf("durable chat runs on SQLite with a model that answers at once, every start and end synced; %d clients follow the streams of theirs", runClients))
	model := &runModel{}
	url, stop, err := model.serve()
	if err != nil {
		return err
	}
	defer stop()
	config := b.service("runs", server.WorkLimits...)
	s := runService{model: model}
	if s.clients, err = config.Accounts(ctx, accounts, server.Rich...); err != nil {
		return err
	}
	if s.Process, err = config.Configured(ctx, gateway.Models(url)); err != nil {
		return err
	}
	defer s.Stop()
	for _, measured := range []func(context.Context, runService) error{b.finishedRuns, b.answers, b.words, b.paused} {
		if err := measured(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// dial connects many clients, with the accounts in turn.
func (s runService) dial(ctx context.Context, many int) ([]*load.Conn, error) {
	return load.DialAll(ctx, s.URL, many, s.clients...)
}

// startRun starts a run and returns its id.
func startRun(c *load.Conn, word string, confirm bool) (string, error) {
	body := fmt.Appendf(nil, `{"messages":[{"role":"user","content":%q}],"runtime_config":{"requireJobConfirmation":%v}}`, word, confirm)
	answer, err := c.Want(202, "POST", runsPath, load.JSON, body)
	return work.Value(answer, "runId"), err
}

// await reads the stream of a run until an event comes, and on to its end.
func await(c *load.Conn, id, event string, then func()) error {
	return work.Await(c, runsPath+"/"+id+"/events/stream", event, then)
}

func (b *bench) finishedRuns(ctx context.Context, s runService) error {
	conns, err := s.dial(ctx, runClients)
	if err != nil {
		return err
	}
	defer load.CloseAll(conns)
	var rates measure.Series
	for range runTurns {
		rate, err := load.Rate(ctx, b.turn, runClients, func(who int) error {
			id, err := startRun(conns[who], sayHello, false)
			if err == nil {
				err = await(conns[who], id, "run_completed", func() {})
			}
			return err
		})
		if err != nil {
			return err
		}
		rates = append(rates, rate)
	}
	b.out.Add(measure.Value("one round, finished/s", "/s", measure.More, rates))
	return nil
}

// answers measures how soon a model is asked again after an answer that calls a tool which answers at once.
func (b *bench) answers(ctx context.Context, s runService) error {
	conns, err := s.dial(ctx, 1)
	if err != nil {
		return err
	}
	defer load.CloseAll(conns)
	var half, late measure.Series
	for range 2 * runTurns {
		id, err := startRun(conns[0], sayTools, false)
		if err == nil {
			err = await(conns[0], id, "run_completed", func() {})
		}
		if err != nil {
			return err
		}
		gaps := s.model.takeGaps()
		half, late = append(half, measure.Percentile(gaps, 50)), append(late, measure.Percentile(gaps, 99))
	}
	b.out.Add(measure.Value("answer to next question, p50", "ms", measure.Less, half))
	b.out.Add(measure.Value("answer to next question, p99", "ms", measure.Less, late))
	return nil
}

// words measures how long the first word of a model takes to a reader of the run.
func (b *bench) words(ctx context.Context, s runService) error {
	conns, err := s.dial(ctx, talks)
	if err != nil {
		return err
	}
	defer load.CloseAll(conns)
	var half, late measure.Series
	var next atomic.Int64
	for range runTurns {
		var mu sync.Mutex
		var waits []float64
		_, err := load.Rate(ctx, b.turn, talks, func(who int) error {
			message := fmt.Sprint(sayWords, next.Add(1))
			id, err := startRun(conns[who], message, false)
			if err != nil {
				return err
			}
			var read time.Time
			err = await(conns[who], id, "assistant_message_text", func() { read = time.Now() })
			if sent, known := s.model.began.Load(message); known && err == nil {
				mu.Lock()
				waits = append(waits, load.Milliseconds(read.Sub(sent.(time.Time))))
				mu.Unlock()
			}
			return err
		})
		if err != nil {
			return err
		}
		half, late = append(half, measure.Percentile(waits, 50)), append(late, measure.Percentile(waits, 99))
	}
	name := fmt.Sprintf("first word after the model's, %%s, %d at once", talks)
	b.out.Add(measure.Value(fmt.Sprintf(name, "p50"), "ms", measure.Less, half))
	b.out.Add(measure.Value(fmt.Sprintf(name, "p99"), "ms", measure.Less, late))
	return nil
}

// paused measures what runs that wait for their user take.
func (b *bench) paused(ctx context.Context, s runService) error {
	watch := func() (measure.Series, error) {
		if err := b.settle(ctx); err != nil {
			return nil, err
		}
		return b.share(ctx, s.Process, idleTurns)
	}
	without, err := watch()
	if err != nil {
		return err
	}
	conns, err := s.dial(ctx, runClients)
	if err != nil {
		return err
	}
	for i := range b.scaled(pausedRuns) {
		if _, err := startRun(conns[i%runClients], sayPaid, true); err != nil {
			return err
		}
	}
	load.CloseAll(conns)
	with, err := watch()
	if err != nil {
		return err
	}
	unit := "% of a core"
	b.out.Add(measure.Added("1,000 paused runs, processor", measure.Side{Name: "with", Unit: unit, Turns: with}, measure.Side{Name: "without", Unit: unit, Turns: without}))
	return nil
}
