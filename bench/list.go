package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"
)

// How many workflows an account has whose list is read, and how much longer a
// read may take with many than with few.
const (
	fewWorkflows  = 1_000
	manyWorkflows = 1_000_000
	listRatio     = 2.0
	listTurns     = 7
)

// listService is a service whose only account has finished a number of workflows.
type listService struct {
	name     string
	database string // as in service
	key      string // of the account
	size     int

	*process
	conn *rawConn
}

// reading is a read that is timed.
type reading struct {
	name string
	path func(size int) string
}

var readings = []reading{
	{"list, the newest 20", func(int) string { return workflowsPath + "?limit=20" }},
	// The last page that both services have.
	{"list, 20 from the 980th", func(int) string { return fmt.Sprintf("%s?limit=20&offset=%d", workflowsPath, fewWorkflows-20) }},
	{"snapshot of any", func(size int) string { return workflowsPath + "/" + copyID(rand.IntN(size)+1) }},
}

// lists measures reads of workflows with few and with many of them in the
// table.
func (b *bench) lists(ctx context.Context) error {
	b.out.part(fmt.Sprintf("List: reads of an account with %s workflows, as a ratio to one with %s", count(manyWorkflows), count(fewWorkflows)))
	if err := b.listsOn(ctx, "SQLite", func(int) (string, func(), error) { return "", func() {}, nil }); err != nil {
		return err
	}
	server := os.Getenv("ATELIER_TEST_POSTGRES_URL")
	if server == "" {
		b.out.skip("PostgreSQL", "ATELIER_TEST_POSTGRES_URL is not set")
		return nil
	}
	return b.listsOn(ctx, "PostgreSQL", func(int) (string, func(), error) { return newDatabase(ctx, server) })
}

func (b *bench) listsOn(ctx context.Context, engine string, database func(size int) (string, func(), error)) error {
	var services []*listService
	began := time.Now()
	for _, size := range []int{fewWorkflows, manyWorkflows} {
		url, drop, err := database(size)
		if err != nil {
			b.out.skip(engine, err.Error())
			return nil
		}
		defer drop()
		s := &listService{name: fmt.Sprintf("list-%s-%d", engine, size), database: url, size: size}
		if err := b.fill(ctx, s); err != nil {
			return fmt.Errorf("%s, %d workflows: %w", engine, size, err)
		}
		services = append(services, s)
	}
	filled := time.Since(began)
	for _, s := range services {
		if err := b.open(ctx, s); err != nil {
			return err
		}
		defer s.stop()
		defer s.conn.close()
	}
	for _, r := range readings {
		var ratios, few, many []float64
		for range listTurns {
			for i, to := range []*[]float64{&few, &many} {
				took, err := services[i].read(ctx, r, b.time/2)
				if err != nil {
					return err
				}
				*to = append(*to, took)
			}
			ratios = append(ratios, many[len(many)-1]/few[len(few)-1])
		}
		ratio := median(ratios)
		b.out.row(r.name+", "+engine, fmt.Sprintf("%.2f", ratio), aim(fmt.Sprintf("aim ≤ %.1f", listRatio)), ratio <= listRatio,
			fmt.Sprintf("%.2f of %.2f ms; filled in %v", median(many), median(few), filled.Round(time.Second)))
	}
	return nil
}

// fill gives the account its workflows: a real one, and copies of it. The service
// does not run while they are made.
func (b *bench) fill(ctx context.Context, s *listService) error {
	from, err := b.startBenchService(ctx, s.name, s.database, 1)
	if err != nil {
		return err
	}
	s.key = from.keys[0]
	id, err := from.one(ctx)
	from.stop()
	if err != nil {
		return err
	}
	if s.database != "" {
		return copyPostgres(ctx, s.database, id, s.size)
	}
	return copySQLite(ctx, b.serviceDir(s.name), from.wallet, id, s.size)
}

// open starts the service, and warms it.
func (b *bench) open(ctx context.Context, s *listService) (err error) {
	if s.process, err = b.reopen(ctx, s.name, s.database); err != nil {
		return err
	}
	if s.conn, err = dialRaw(ctx, s.url, s.key); err != nil {
		s.kill()
		return err
	}
	for _, r := range readings {
		if _, err := s.read(ctx, r, 200*time.Millisecond); err != nil {
			s.conn.close()
			s.kill()
			return err
		}
	}
	return nil
}

// one has a workflow done, from start to end.
func (s *benchService) one(ctx context.Context) (id string, err error) {
	c, err := startWorkers(ctx, s.url, s.worker, 1, 1)
	defer c.stop()
	if err != nil {
		return "", err
	}
	l, err := dialRaw(ctx, s.url, s.keys[0])
	if err != nil {
		return "", err
	}
	defer l.close()
	if id, err = l.start(plan(1)); err != nil {
		return "", err
	}
	done, err := c[0].work()
	if err == nil && !done {
		err = errUnfinished
	}
	return id, err
}

// read times a read over and over and returns the median, in milliseconds.
func (s *listService) read(ctx context.Context, r reading, d time.Duration) (float64, error) {
	var took []float64
	for end := time.Now().Add(d); len(took) == 0 || time.Now().Before(end); {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		began := time.Now()
		if _, err := s.conn.want(200, "GET", r.path(s.size), "", nil); err != nil {
			return 0, err
		}
		took = append(took, float64(time.Since(began).Microseconds())/1e3)
	}
	return median(took), nil
}
