package main

import (
	"context"
	"time"

	"github.com/atelier-project/atelier/bench/load"
	"github.com/atelier-project/atelier/bench/measure"
	"github.com/atelier-project/atelier/bench/server"
)

const (
	idleTurns  = 3
	watchTurns = 5 // how many turns the service is watched for one figure
)

// settle is how long a service is left alone before it is watched, in turns.
func (b *bench) settle(ctx context.Context) error { return load.Sleep(ctx, 2*b.turn) }

// share watches the processor time of a process, in percent of a core.
func (b *bench) share(ctx context.Context, p *server.Process, turns int) (shares measure.Series, err error) {
	for range turns {
		before, span := p.CPU(), watchTurns*b.turn
		if err := load.Sleep(ctx, span); err != nil {
			return nil, err
		}
		shares = append(shares, 100*float64(p.CPU()-before)/float64(span))
	}
	return shares, nil
}

// idle measures what the service takes while it has nothing to do.
func (b *bench) idle(ctx context.Context) error {
	b.out.Begin("Idle", "SQLite, no client connected")
	var resident, own, cpu measure.Series
	for range idleTurns {
		p, err := b.service("idle").Serve(ctx)
		if err != nil {
			return err
		}
		err = p.Answers("/healthz")
		if err == nil {
			err = b.settle(ctx)
		}
		resident, own = append(resident, p.Memory(server.Resident)), append(own, p.Memory(server.Anonymous))
		if err == nil {
			var shares measure.Series
			shares, err = b.share(ctx, p, 1)
			cpu = append(cpu, shares...)
		}
		p.Stop()
		if err != nil {
			return err
		}
	}
	b.out.Add(measure.Value("resident memory", "MB", measure.Less, resident))
	b.out.Add(measure.Value("of it data", "MB", measure.Less, own))
	b.out.Add(measure.Value("processor", "% of a core", measure.Less, cpu))
	return nil
}

// since is the time that has passed, in milliseconds.
func since(began time.Time) float64 { return load.Milliseconds(time.Since(began)) }
