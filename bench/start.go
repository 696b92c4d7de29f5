package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// startAim is the processor time from the start of the process to the first
// answer: what the program does, whatever else the machine is doing.
const startAim = 150 * time.Millisecond

// startRuns is how often the service is started for one figure.
const startRuns = 9

// starts measures cold starts, on SQLite.
func (b *bench) starts(ctx context.Context) error {
	b.out.part("Start: processor time from the start of the process to the first 200 of /healthz")
	existing := service{program: b.program, data: filepath.Join(b.dir, "start")}
	if _, err := existing.account(ctx); err != nil {
		return err
	}
	err := b.startRow(ctx, "existing data directory", func(int) service { return existing })
	if err != nil {
		return err
	}
	return b.startRow(ctx, "empty data directory", func(i int) service {
		return service{program: b.program, data: filepath.Join(b.dir, fmt.Sprint("start-", i))}
	})
}

func (b *bench) startRow(ctx context.Context, name string, on func(run int) service) error {
	var cpu, wall []float64
	for i := range startRuns {
		used, took, err := coldStart(ctx, on(i))
		if err != nil {
			return err
		}
		cpu, wall = append(cpu, used.Seconds()*1e3), append(wall, took.Seconds()*1e3)
	}
	used := median(cpu)
	b.out.row(name, fmt.Sprintf("%.0f ms", used), below(startAim.String()), used < startAim.Seconds()*1e3,
		fmt.Sprintf("wall %.0f ms", median(wall)))
	return nil
}

// coldStart starts the service until it answers, and kills it there, so that
// what the system has counted for the process is the start alone.
func coldStart(ctx context.Context, s service) (cpu, wall time.Duration, err error) {
	p, err := s.serve(ctx)
	if err != nil {
		return 0, 0, err
	}
	err = p.healthy()
	wall = time.Since(p.started)
	p.kill()
	_ = p.command.Wait() // it was killed
	state := p.command.ProcessState
	return state.UserTime() + state.SystemTime(), wall, err
}
