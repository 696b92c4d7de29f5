package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/atelier-project/atelier/internal/ateliertest/hostile"
)

// attackers is how many accounts without a balance attack at once.
const attackers = 20

// hostiles measures the requests of an honest account beside attackers, as ratios
// to what they take alone.
func (b *bench) hostiles(ctx context.Context) error {
	b.out.part(fmt.Sprintf("Hostile: an honest account beside %d attackers, p99 as a ratio to what it is alone", attackers))
	s := service{program: b.program, data: filepath.Join(b.dir, "hostile")}
	command := s.atelier(ctx, "serve")
	command.Env = append(command.Env, "ATELIER_LIMITS_MEDIA_URLS_PER_MINUTE=1200")
	p, err := start(command)
	if err != nil {
		return err
	}
	defer p.stop()
	o := hostile.Options{URL: p.url, PID: p.command.Process.Pid, Quiet: 30 * b.time, Attack: 60 * b.time, Command: []string{os.Args[0]}}
	if o.Honest, err = s.account(ctx, "--spark", "10000"); err != nil {
		return err
	}
	for range attackers {
		key, err := s.account(ctx)
		if err != nil {
			return err
		}
		o.Attackers = append(o.Attackers, key)
	}
	report, err := hostile.Run(ctx, o)
	if err != nil {
		return err
	}
	for _, kind := range slices.Sorted(maps.Keys(report.Kinds)) {
		k := report.Kinds[kind]
		attacked, quiet := k.P99()
		b.out.row(kind, fmt.Sprintf("%.1f", k.Ratio()), below(fmt.Sprint(hostile.MaxRatio)), k.Ratio() < hostile.MaxRatio && len(k.Failed) == 0,
			fmt.Sprintf("%v beside them, %v alone, %d failed of %d", attacked.Round(time.Millisecond), quiet.Round(time.Millisecond), len(k.Failed), len(k.Attacked)))
	}
	b.out.row("most memory of the server", megabytes(report.Server), below(megabytes(hostile.MaxMemory)), report.Server < hostile.MaxMemory,
		fmt.Sprintf("%s of its child processes", megabytes(report.Renders)))
	return nil
}
