package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// writers are the rows of the store's own benchmark, as it names them, and the
// numbers of callers it has.
var (
	writers = []struct{ engine, name string }{
		{"sqlite", "SQLite, grouped"},
		{"sqlite-ungrouped", "SQLite, one commit each"},
		{"postgres", "PostgreSQL"},
	}
	callers = []string{"1", "8", "64"}
)

// writeRuns is how often the benchmark is repeated; the median counts.
const writeRuns = 3

var writeLine = regexp.MustCompile(`(?m)^BenchmarkWrite/([^/]+)/callers=(\d+)\S*\s.*?([\d.]+) tx/s`)

// writes runs the store's benchmark and prints its rates as a table.
func (b *bench) writes(ctx context.Context) error {
	b.out.part("Write: durable transactions/s, by callers at once")
	command := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^BenchmarkWrite$",
		"-benchtime", b.time.String(), "-count", strconv.Itoa(writeRuns), "./internal/store")
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	rates := map[string][]float64{}
	for _, m := range writeLine.FindAllStringSubmatch(string(out), -1) {
		rate, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			return err
		}
		rates[m[1]+"/"+m[2]] = append(rates[m[1]+"/"+m[2]], rate)
	}
	columns := make([]string, len(callers))
	for i, n := range callers {
		columns[i] = fmt.Sprintf("%9s", n)
	}
	fmt.Fprintf(b.out.w, "  %-36s %s\n", "", strings.Join(columns, " "))
	for _, w := range writers {
		if rates[w.engine+"/"+callers[0]] == nil {
			b.out.skip(w.name, "the benchmark gave no figures for it")
			continue
		}
		for i, n := range callers {
			columns[i] = fmt.Sprintf("%9s", count(median(rates[w.engine+"/"+n])))
		}
		fmt.Fprintf(b.out.w, "  %-36s %s\n", w.name, strings.Join(columns, " "))
	}
	for i, n := range callers {
		gain := median(rates["sqlite/"+n]) / median(rates["sqlite-ungrouped/"+n])
		columns[i] = fmt.Sprintf("%9.2f", gain)
	}
	fmt.Fprintf(b.out.w, "  %-36s %s\n", "grouped / one commit each", strings.Join(columns, " "))
	return nil
}
