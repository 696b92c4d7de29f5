package main

import (
	"context"

	"github.com/atelier-project/atelier/bench/measure"
	"github.com/atelier-project/atelier/bench/work"
)

const (
	jobTurns  = 5
	jobsAhead = 8 // workflows of one job that are open for each worker
)

// jobs measures jobs settled a second with few and many workers, on PostgreSQL beside SQLite.
func (b *bench) jobs(ctx context.Context) error {
	b.out.Begin("Jobs", "jobs settled a second, every one synced: workers of one connection each, and clients that keep the queue filled")
	var names []string
	var services []*work.Service
	open := func(name, database string) error {
		config := b.service("jobs-" + name)
		config.Database = database
		s, err := work.Open(ctx, config, accounts)
		if err == nil {
			names, services = append(names, name), append(services, s)
		}
		return err
	}
	defer func() {
		for _, s := range services {
			s.Stop()
		}
	}()
	if err := open("SQLite", ""); err != nil {
		return err
	}
	database, drop, err := postgres(ctx)
	if err != nil {
		b.out.Skip("PostgreSQL", err.Error())
	} else {
		defer drop()
		if err := open("PostgreSQL", database); err != nil {
			return err
		}
	}
	for _, workers := range []int{1, 10, 100} {
		sides := make([]measure.Side, len(services))
		for range jobTurns {
			for i, s := range services {
				rate, err := s.Finished(ctx, b.turn, workers, 1, jobsAhead*workers)
				if err != nil {
					return err
				}
				sides[i].Name, sides[i].Unit, sides[i].Turns = names[i], "/s", append(sides[i].Turns, rate)
			}
		}
		name := "settled/s, " + clients("worker", workers)
		for _, side := range sides {
			b.out.Add(measure.Value(name+", "+side.Name, "/s", measure.More, side.Turns))
		}
		if len(sides) == 2 {
			b.out.Add(measure.Ratio(name+", PostgreSQL to SQLite", measure.More, sides[1], sides[0]))
		}
	}
	return nil
}
