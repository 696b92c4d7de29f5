package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/atelier-project/atelier/bench/measure"
	"github.com/atelier-project/atelier/bench/server"
	"github.com/atelier-project/atelier/internal/ateliertest/hostile"
)

// attackers is how many accounts without a balance attack at once.
const attackers = 20

// hostileMemory is what the server may take beside them, in megabytes.
const hostileMemory = hostile.MaxMemory >> 20

// hostiles measures the requests of an honest account beside attackers, as ratios to what they take alone. Attackers
// leave traces, so there is one turn.
func (b *bench) hostiles(ctx context.Context) error {
	b.out.Begin("Hostile", fmt.Sprintf("an honest account beside %d attackers, p99 as a ratio to what it is alone, which is to be at most %d", attackers, hostile.MaxRatio))
	s := b.service("hostile", append([]string{"ATELIER_LIMITS_MEDIA_URLS_PER_MINUTE=1200"}, server.ReadLimits...)...)
	p, err := s.Serve(ctx)
	if err != nil {
		return err
	}
	defer p.Stop()
	honest, err := s.Account(ctx, "--spark", "10000")
	if err != nil {
		return err
	}
	o := hostile.Options{URL: p.URL, PID: p.PID(), Honest: honest.APIKey, Quiet: 30 * b.turn, Attack: 60 * b.turn, Command: []string{os.Args[0]}}
	for range attackers {
		account, err := s.Account(ctx)
		if err != nil {
			return err
		}
		o.Attackers = append(o.Attackers, account.APIKey)
	}
	report, err := hostile.Run(ctx, o)
	if err != nil {
		return err
	}
	for _, kind := range slices.Sorted(maps.Keys(report.Kinds)) {
		k := report.Kinds[kind]
		attacked, quiet := k.P99()
		m := measure.Value(kind, "", measure.Less, measure.Series{k.Ratio()})
		m.Note = fmt.Sprintf("%v beside them, %v alone, %d failed of %d", attacked.Round(time.Millisecond), quiet.Round(time.Millisecond), len(k.Failed), len(k.Attacked))
		b.out.Add(m)
	}
	b.out.Add(measure.Value("most memory of the server", "MB", measure.Less, measure.Series{float64(report.Server) / (1 << 20)}))
	b.out.Add(measure.Value("of its child processes", "MB", measure.Less, measure.Series{float64(report.Renders) / (1 << 20)}))
	return nil
}
