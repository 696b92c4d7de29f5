package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/atelier-project/atelier/bench/measure"
	"github.com/atelier-project/atelier/bench/server"
	"github.com/atelier-project/atelier/bench/work"
)

const (
	flowTurns   = 5
	flowSpan    = 2   // how long a rate is measured, in turns of the run
	flowWorkers = 8   // that render
	flowConns   = 8   // of each worker
	flowOpen    = 256 // workflows under way at once
	chainSteps  = 12
	chainRuns   = 20 // a turn
)

// starters are the numbers of clients that start workflows without a worker.
var starters = []int{1, 8, 64}

// flows is a system that runs workflows.
type flows interface {
	finished(ctx context.Context, span time.Duration) (rate float64, err error)            // of one step, a second
	chains(ctx context.Context, many, steps int) (ms []float64, err error)                 // from start to end
	starts(ctx context.Context, span time.Duration, clients int) (rate float64, err error) // accepted a second, with no worker
	close()
}

// workflows measures workflows that do nothing, on SQLite with its full durability, and the same on a Temporal
// development server that is tuned in the same way.
func (b *bench) workflows(ctx context.Context) error {
	b.out.Begin("Workflow", "no-op workflows on SQLite, every start and completion synced, to the Temporal development server with SQLite in WAL mode, synced")
	own, err := b.ownFlows(ctx)
	if err != nil {
		return err
	}
	defer own.close()
	names, systems := []string{"atelier"}, []flows{own}
	if theirs, err := b.temporal.start(ctx, b.dir); err != nil {
		b.out.Skip("Temporal", err.Error())
	} else {
		defer theirs.close()
		names, systems = append(names, "Temporal"), append(systems, theirs)
	}
	// in has the systems take turns at something. Each figure of a turn is a row.
	in := func(unit string, better measure.Better, rows []string, do func(flows) ([]float64, error)) error {
		sides := make([][]measure.Side, len(rows))
		for range flowTurns {
			for i, system := range systems {
				figures, err := do(system)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", names[i], rows[0], err)
				}
				for row, v := range figures {
					if len(sides[row]) == i {
						sides[row] = append(sides[row], measure.Side{Name: names[i], Unit: unit})
					}
					sides[row][i].Turns = append(sides[row][i].Turns, v)
				}
			}
		}
		for row, s := range sides {
			b.out.Add(measure.Value(rows[row], unit, better, s[0].Turns))
			if len(s) == 2 {
				b.out.Add(measure.Ratio(rows[row]+", to Temporal", better, s[0], s[1]))
			}
		}
		return nil
	}
	cores := server.Usage(own.busy.PID(), os.Getpid())
	one := func(rate float64, err error) ([]float64, error) { return []float64{rate}, err }
	err = in("/s", measure.More, []string{"one step, finished/s"}, func(f flows) ([]float64, error) { return one(f.finished(ctx, flowSpan*b.turn)) })
	if err != nil {
		return err
	}
	used := cores()
	b.out.Add(measure.Value("  cores used meanwhile, service", "", "", measure.Series{used[0]}))
	b.out.Add(measure.Value("  cores used meanwhile, load", "", "", measure.Series{used[1]}))
	steps := fmt.Sprintf("%d steps", chainSteps)
	err = in("ms", measure.Less, []string{steps + ", p50", steps + ", p99"}, func(f flows) ([]float64, error) {
		took, err := f.chains(ctx, b.scaled(chainRuns), chainSteps)
		return []float64{measure.Percentile(took, 50), measure.Percentile(took, 99)}, err
	})
	if err != nil {
		return err
	}
	for _, n := range starters {
		err := in("/s", measure.More, []string{"starts/s with " + clients("client", n)}, func(f flows) ([]float64, error) { return one(f.starts(ctx, b.turn, n)) })
		if err != nil {
			return err
		}
	}
	return nil
}

// ownFlows is the service: one that has workers, and one that has none.
type ownFlows struct{ busy, waiting *work.Service }

func (b *bench) ownFlows(ctx context.Context) (*ownFlows, error) {
	busy, err := work.Open(ctx, b.service("workflow"), accounts)
	if err != nil {
		return nil, err
	}
	waiting, err := work.Open(ctx, b.service("workflow-starts"), accounts)
	if err != nil {
		busy.Stop()
		return nil, err
	}
	return &ownFlows{busy, waiting}, nil
}

func (o *ownFlows) finished(ctx context.Context, span time.Duration) (float64, error) {
	return o.busy.Finished(ctx, span, flowWorkers, flowConns, flowOpen)
}

func (o *ownFlows) chains(ctx context.Context, many, steps int) ([]float64, error) {
	took, _, err := o.busy.Chains(ctx, many, steps)
	return took, err
}

func (o *ownFlows) starts(ctx context.Context, span time.Duration, clients int) (float64, error) {
	return o.waiting.Accepted(ctx, span, clients)
}

func (o *ownFlows) close() {
	o.busy.Stop()
	o.waiting.Stop()
}
