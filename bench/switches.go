package main

import (
	"context"
	"fmt"
	"regexp"
)

// How many times fewer switches of models there should be than in the order of the queue,
// and how many times as long an account may wait for them.
const (
	fewerSwitches = 5.0
	longerWait    = 2.0
)

var switchesLine = regexp.MustCompile(`(?m)^BenchmarkSwitches/(\w+?)(?:-\d+)?\s+(.*)$`)

// switches simulates two workers and queues of several models, in which loading another
// model takes ten seconds: in the order of the queue, and with workers that report what they
// have loaded.
func (b *bench) switches(ctx context.Context) error {
	b.out.part("Switches: two workers, three models in a mixed queue, ten seconds to load another, on a simulated clock")
	figures, err := b.metrics(ctx, switchesLine, "^BenchmarkSwitches$", "10x", "./internal/fleet")
	if err != nil {
		return err
	}
	for _, e := range []struct{ name, title string }{{"sqlite", "SQLite"}, {"postgres", "PostgreSQL"}} {
		f := figures[e.name]
		if f == nil {
			b.out.skip(e.title, "the benchmark gave no figures for it")
			continue
		}
		ratio := f["fair-switches"] / max(1, f["kept-switches"])
		b.out.row(e.title+": fewer switches", fmt.Sprintf("%.1f", ratio), atLeast(fewerSwitches), ratio >= fewerSwitches,
			fmt.Sprintf("times; %.0f instead of %.0f", f["kept-switches"], f["fair-switches"]))
		b.out.row(e.title+": longest wait of an account", fmt.Sprintf("%.2f", f["worst-wait"]), below(fmt.Sprintf("%.0f", longerWait)), f["worst-wait"] < longerWait,
			"times as long as in the order of the queue")
		b.out.row(e.title+": the same where few jobs are of other models", fmt.Sprintf("%.2f", f["worst-wait-of-few"]), below(fmt.Sprintf("%.0f", longerWait)), f["worst-wait-of-few"] < longerWait,
			"times; each of those accounts has one or two jobs")
	}
	return nil
}
