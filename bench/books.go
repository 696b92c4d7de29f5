package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/atelier-project/atelier/bench/measure"
)

const bookRecords = 1_000_000

// books runs the benchmarks of the counters: reads beside few and many records, which take turns.
func (b *bench) books(ctx context.Context) error {
	records := b.scaled(bookRecords)
	b.out.Begin("Books", fmt.Sprintf("reads of counters beside %s records, to reads beside 10,000", measure.Number(float64(records))))
	os.Setenv("BOOKS_RECORDS", strconv.Itoa(records))
	rows, err := goBench(ctx, "Books", "11x", "./internal/store")
	if err != nil {
		return err
	}
	for _, e := range []struct{ name, title string }{{"sqlite", "SQLite"}, {"postgres", "PostgreSQL"}} {
		r := rows[e.name]
		if r == nil {
			b.out.Skip(e.title, "the benchmark gave no figures for it")
			continue
		}
		for _, c := range []struct{ metric, title string }{{"history", "usage history"}, {"chart", "chart of 120 days"}, {"stats", "user stats with ranks"}} {
			m := measure.Value(e.title+": "+c.title, "", measure.Less, measure.Series{r[c.metric+"-ratio"]})
			m.Note = fmt.Sprintf("%.2f ms; the median of 11 turns", r[c.metric+"-ms"])
			b.out.Add(m)
		}
	}
	return nil
}
