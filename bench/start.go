package main

import (
	"context"
	"fmt"
	"time"

	"github.com/atelier-project/atelier/bench/load"
	"github.com/atelier-project/atelier/bench/measure"
	"github.com/atelier-project/atelier/bench/server"
)

// startTurns is how often the service is started for one figure.
const startTurns = 9

// starts measures cold starts, on SQLite: what the program uses, whatever else the machine is doing.
func (b *bench) starts(ctx context.Context) error {
	b.out.Begin("Start", "processor time from the start of the process to the first 200 of /healthz")
	existing := b.service("start")
	if _, err := existing.Account(ctx); err != nil {
		return err
	}
	names := [2]string{"existing data directory", "empty data directory"}
	var cpu, wall [2]measure.Series
	for turn := range startTurns {
		for i, s := range []server.Service{existing, b.service(fmt.Sprint("start-", turn))} {
			p, err := s.Serve(ctx)
			if err != nil {
				return err
			}
			err = p.Answers("/healthz")
			wall[i] = append(wall[i], load.Milliseconds(time.Since(p.Started)))
			cpu[i] = append(cpu[i], load.Milliseconds(p.Kill())) // there, so that what was counted is the start alone
			if err != nil {
				return err
			}
		}
	}
	for i, name := range names {
		m := measure.Value(name, "ms", measure.Less, cpu[i])
		m.Note = fmt.Sprintf("%.0f ms on the clock", wall[i].Median())
		b.out.Add(m)
	}
	return nil
}
