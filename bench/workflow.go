package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"
)

// What workflows should do, as ratios to the Temporal development server.
const (
	finishedAim = 50.0
	chainAim    = 0.05
)

// How long one rate is measured, in turns, and how many turns there are.
const (
	rateSpan  = 3
	rateTurns = 3
)

// starters are the numbers of clients that start workflows without a worker.
var starters = []int{1, 8, 64}

// workflowFigures is what is measured of a system that runs workflows.
type workflowFigures struct {
	Finished float64            `json:"finished"` // of one step, a second
	Chains   []float64          `json:"chains"`   // of twelve steps, milliseconds each
	Starts   map[string]float64 `json:"starts"`   // accepted a second, by clients at once
}

// workflows measures workflows that do nothing, on SQLite with its full
// durability, and the same on a Temporal development server.
func (b *bench) workflows(ctx context.Context) error {
	b.out.part("Workflow: no-op workflows on SQLite, every start and completion synced, as ratios to the Temporal development server")
	ours, err := b.ownWorkflows(ctx)
	if err != nil {
		return err
	}
	theirs, err := b.temporalWorkflows(ctx, shipped)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		b.out.skip("Temporal", err.Error())
		b.baselineRows(ours)
		return nil
	}
	b.ratioRows("", ours, theirs, true)
	theirs, err = b.temporalWorkflows(ctx, tuned)
	if err != nil {
		b.out.skip("Temporal, tuned", err.Error())
		return ctx.Err()
	}
	b.ratioRows(" (tuned)", ours, theirs, false)
	return nil
}

// ownWorkflows measures this service.
func (b *bench) ownWorkflows(ctx context.Context) (out workflowFigures, err error) {
	s, err := b.startBenchService(ctx, "workflow", "", rateClients)
	if err != nil {
		return out, err
	}
	defer s.stop()
	load, err := os.FindProcess(os.Getpid())
	if err != nil {
		return out, err
	}
	cores := clock(s.process, &process{command: &exec.Cmd{Process: load}})
	if out.Finished, err = s.finished(ctx, rateSpan*b.time); err != nil {
		return out, fmt.Errorf("one step: %w", err)
	}
	used := cores()
	b.out.row("one step, finished/s", count(out.Finished), "", true,
		fmt.Sprintf("%d clients, %d workers of %d connections; cores: service %.2f, load %.2f", rateClients, rateWorkers, rateConns, used[0], used[1]))
	parts, err := s.shares(ctx)
	if err != nil {
		return out, fmt.Errorf("shares: %w", err)
	}
	b.out.row("its parts, one after the other", "", "", true, parts.String())
	if out.Chains, err = s.chains(ctx); err != nil {
		return out, fmt.Errorf("%d steps: %w", chainSteps, err)
	}
	if out.Starts, err = b.accepted(ctx); err != nil {
		return out, fmt.Errorf("starts: %w", err)
	}
	return out, nil
}

// clock returns a function that tells how many cores processes have used since.
func clock(of ...*process) func() []float64 {
	began := time.Now()
	before := make([]time.Duration, len(of))
	for i, p := range of {
		before[i], _ = p.cpu()
	}
	return func() (cores []float64) {
		for i, p := range of {
			now, _ := p.cpu()
			cores = append(cores, (now-before[i]).Seconds()/time.Since(began).Seconds())
		}
		return cores
	}
}

// accepted is how many starts a second are accepted, with no worker to do the
// work: each client has its own account.
func (b *bench) accepted(ctx context.Context) (map[string]float64, error) {
	total := 0
	for _, n := range starters {
		total += n
	}
	s, err := b.startBenchService(ctx, "workflow-starts", "", total)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	out := map[string]float64{}
	body := plan(1)
	for _, n := range starters {
		conns, err := dialAll(ctx, s.url, s.keys[:n], n)
		if err != nil {
			return nil, err
		}
		s.keys = s.keys[n:]
		out[strconv.Itoa(n)], err = rate(ctx, rateSpan*b.time, n, func(who int) error {
			_, err := conns[who].start(body)
			return err
		})
		closeAll(conns)
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ratioRows compares two systems. Aims are for the server as it is shipped.
func (b *bench) ratioRows(how string, ours, theirs workflowFigures, aims bool) {
	high, low := atLeast(finishedAim), aim(fmt.Sprintf("aim ≤ %.3f", chainAim))
	if !aims {
		high, low = "", ""
	}
	ratio := ours.Finished / max(theirs.Finished, 1e-3) // it may finish none at all
	b.out.row("one step, finished/s, ratio"+how, fmt.Sprintf("%.1f", ratio), high, ratio >= finishedAim,
		fmt.Sprintf("%s of %.1f/s", count(ours.Finished), theirs.Finished))
	for _, p := range []int{50, 99} {
		a, t := percentile(ours.Chains, p), percentile(theirs.Chains, p)
		b.out.row(fmt.Sprintf("%d steps, p%d, ratio%s", chainSteps, p, how), fmt.Sprintf("%.3f", a/t), low, a/t <= chainAim,
			fmt.Sprintf("%.1f of %.0f ms", a, t))
	}
	for _, n := range starters {
		a, t := ours.Starts[strconv.Itoa(n)], theirs.Starts[strconv.Itoa(n)]
		b.out.row(fmt.Sprintf("starts/s, %s, ratio%s", clients(n), how), fmt.Sprintf("%.1f", a/max(t, 1e-3)), "", true,
			fmt.Sprintf("%s of %s/s", count(a), count(t)))
	}
}

// baselineRows is for a machine without Temporal.
func (b *bench) baselineRows(f workflowFigures) {
	for _, p := range []int{50, 99} {
		b.out.row(fmt.Sprintf("%d steps, p%d", chainSteps, p), fmt.Sprintf("%.1f ms", percentile(f.Chains, p)), "", true, "")
	}
	for _, n := range starters {
		b.out.row(fmt.Sprintf("accepted starts/s, %s", clients(n)), count(f.Starts[strconv.Itoa(n)]), "", true, "")
	}
}

func clients(n int) string {
	if n == 1 {
		return "1 client"
	}
	return fmt.Sprintf("%d clients", n)
}

// percentile is the smallest value that p of a hundred do not exceed.
func percentile(values []float64, p int) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max((len(sorted)*p+99)/100, 1)-1]
}
