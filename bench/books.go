package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
)

// readsGrow is how much longer a read may take when there are many more records.
const readsGrow = 2.0

var (
	booksLine = regexp.MustCompile(`(?m)^BenchmarkBooks/(\w+?)(?:-\d+)?\s+(.*)$`)
	metric    = regexp.MustCompile(`(-?[\d.]+) (\S+)`)
)

// books runs the benchmarks of the counters: reads beside few and many records, which take
// turns.
func (b *bench) books(ctx context.Context) error {
	b.out.part("Books: records and counters")
	read, err := b.metrics(ctx, booksLine, "^BenchmarkBooks$", "11x", "./internal/store")
	if err != nil {
		return err
	}
	for _, e := range []struct{ name, title string }{{"sqlite", "SQLite"}, {"postgres", "PostgreSQL"}} {
		r := read[e.name]
		if r == nil {
			b.out.skip(e.title, "the benchmark gave no figures for it")
			continue
		}
		for _, c := range []struct{ metric, title string }{{"history", "usage history"}, {"chart", "chart of 120 days"}, {"stats", "user stats with ranks"}} {
			ratio := r[c.metric+"-ratio"]
			b.out.row(e.title+": "+c.title, fmt.Sprintf("%.2f", ratio), below(fmt.Sprintf("%.0f", readsGrow)), ratio < readsGrow,
				fmt.Sprintf("times as long with %s records as with %s; %.2f ms", count(r["records"]), count(r["few"]), r[c.metric+"-ms"]))
		}
	}
	return nil
}

// metrics runs a benchmark of a package and returns its metrics by database.
func (b *bench) metrics(ctx context.Context, line *regexp.Regexp, name, time, dir string) (map[string]map[string]float64, error) {
	command := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", name, "-benchtime", time, "-timeout", "1h", dir)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	found := map[string]map[string]float64{}
	for _, m := range line.FindAllStringSubmatch(string(out), -1) {
		found[m[1]] = map[string]float64{}
		for _, value := range metric.FindAllStringSubmatch(m[2], -1) {
			if found[m[1]][value[2]], err = strconv.ParseFloat(value[1], 64); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}
