package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/atelier-project/atelier/bench/load"
	"github.com/atelier-project/atelier/bench/measure"
	"github.com/atelier-project/atelier/bench/work"
)

// How many workflows an account has whose list is read.
const (
	fewWorkflows  = 1_000
	manyWorkflows = 1_000_000
	listTurns     = 7
)

// listService is a service whose only account has finished a number of workflows.
type listService struct {
	*work.Service
	size int
	conn *load.Conn
}

// reading is a read that is timed.
type reading struct {
	name string
	path func(size int) string
}

var readings = []reading{
	{"the newest 20", func(int) string { return work.Path + "?limit=20" }},
	// The last page that both services have.
	{"20 from the 980th", func(int) string { return fmt.Sprintf("%s?limit=20&offset=%d", work.Path, fewWorkflows-20) }},
	{"snapshot of any", func(size int) string { return work.Path + "/" + copyID(rand.IntN(size)+1) }},
}

// lists measures reads of workflows with few and with many of them in the table.
func (b *bench) lists(ctx context.Context) error {
	many := max(2*fewWorkflows, b.scaled(manyWorkflows))
	b.out.Begin("List", fmt.Sprintf("reads of an account with %s workflows, as a ratio to one with %s", measure.Number(float64(many)), measure.Number(fewWorkflows)))
	if err := b.listsOn(ctx, "SQLite", many, func() (string, func(), error) { return "", func() {}, nil }); err != nil {
		return err
	}
	return b.listsOn(ctx, "PostgreSQL", many, func() (string, func(), error) { return postgres(ctx) })
}

func (b *bench) listsOn(ctx context.Context, engine string, many int, database func() (string, func(), error)) error {
	var services []*listService
	for _, size := range []int{many, fewWorkflows} {
		url, drop, err := database()
		if err != nil {
			b.out.Skip(engine, err.Error())
			return nil
		}
		defer drop()
		s, err := b.fill(ctx, fmt.Sprintf("list-%s-%d", engine, size), url, size)
		if err != nil {
			return fmt.Errorf("%s, %d workflows: %w", engine, size, err)
		}
		defer s.Stop()
		services = append(services, s)
	}
	for _, s := range services {
		var err error
		if s.conn, err = load.Dial(ctx, s.URL, s.Clients[0]); err != nil {
			return err
		}
		defer s.conn.Close()
	}
	for _, r := range readings {
		sides := [2]measure.Side{{Name: "many", Unit: "ms"}, {Name: "few", Unit: "ms"}}
		for turn := range listTurns + 1 {
			for i := range sides {
				took, err := services[i].read(ctx, r, b.turn/2)
				if err != nil {
					return err
				}
				if turn > 0 { // the first warms up
					sides[i].Turns = append(sides[i].Turns, took)
				}
			}
		}
		b.out.Add(measure.Ratio(r.name+", "+engine, measure.Less, sides[0], sides[1]))
	}
	return nil
}

// fill makes a service whose account has workflows: a real one, and copies of it. The service does not run while they
// are made.
func (b *bench) fill(ctx context.Context, name, database string, size int) (*listService, error) {
	config := b.service(name)
	config.Database = database
	s, err := work.Open(ctx, config, 1)
	if err != nil {
		return nil, err
	}
	id, err := s.One(ctx)
	s.Stop()
	if err != nil {
		return nil, err
	}
	if database != "" {
		err = copyPostgres(ctx, database, id, size)
	} else {
		err = copySQLite(ctx, config.Data, s.Wallet, id, size)
	}
	if err == nil {
		err = s.Reopen(ctx)
	}
	return &listService{Service: s, size: size}, err
}

// read times a read over and over and returns the median, in milliseconds.
func (s *listService) read(ctx context.Context, r reading, d time.Duration) (float64, error) {
	var took measure.Series
	for end := time.Now().Add(d); len(took) == 0 || time.Now().Before(end); {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		began := time.Now()
		if _, err := s.conn.Want(200, "GET", r.path(s.size), "", nil); err != nil {
			return 0, err
		}
		took = append(took, since(began))
	}
	return took.Median(), nil
}
