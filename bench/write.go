package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"

	"github.com/atelier-project/atelier/bench/measure"
)

const goBenchTurns = 3

// goBench runs a benchmark of a package once, and returns its metrics by the name of the row.
func goBench(ctx context.Context, name, time, dir string) (map[string]map[string]float64, error) {
	command := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^Benchmark"+name+"$", "-benchtime", time, "-timeout", "1h", dir)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	return parseGoBench(name, string(out)), nil
}

var goMetric = regexp.MustCompile(`(-?[\d.]+) (\S+)`)

// parseGoBench reads what go test prints of a benchmark.
func parseGoBench(name, text string) map[string]map[string]float64 {
	line := regexp.MustCompile(`(?m)^Benchmark` + name + `/(\S+?)(?:-\d+)?\s+\d+\s+(.*)$`)
	found := map[string]map[string]float64{}
	for _, m := range line.FindAllStringSubmatch(text, -1) {
		found[m[1]] = map[string]float64{}
		for _, value := range goMetric.FindAllStringSubmatch(m[2], -1) {
			found[m[1]][value[2]], _ = strconv.ParseFloat(value[1], 64) // the pattern is that of a number
		}
	}
	return found
}

// writes runs the store's benchmark of durable transactions.
func (b *bench) writes(ctx context.Context) error {
	b.out.Begin("Write", "durable transactions/s, by callers at once")
	rates := map[string]measure.Series{}
	for range goBenchTurns {
		rows, err := goBench(ctx, "Write", b.turn.String(), "./internal/store")
		if err != nil {
			return err
		}
		for row, metrics := range rows {
			rates[row] = append(rates[row], metrics["tx/s"])
		}
	}
	for _, callers := range []int{1, 8, 64} {
		side := func(engine, name string) measure.Side {
			return measure.Side{Name: name, Unit: "/s", Turns: rates[fmt.Sprintf("%s/callers=%d", engine, callers)]}
		}
		grouped, alone, server := side("sqlite", "SQLite"), side("sqlite-ungrouped", "one commit each"), side("postgres", "PostgreSQL")
		by := clients("caller", callers)
		b.out.Add(measure.Value("SQLite, "+by, "/s", measure.More, grouped.Turns))
		b.out.Add(measure.Ratio("SQLite, "+by+", to one commit each", measure.More, grouped, alone))
		if len(server.Turns) > 0 {
			b.out.Add(measure.Ratio("PostgreSQL, "+by+", to SQLite", measure.More, server, grouped))
		}
	}
	return nil
}

// clients counts something.
func clients(what string, n int) string {
	if n == 1 {
		return "1 " + what
	}
	return measure.Number(float64(n)) + " " + what + "s"
}
