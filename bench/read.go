package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/atelier-project/atelier/bench/bare"
	"github.com/atelier-project/atelier/bench/load"
	"github.com/atelier-project/atelier/bench/measure"
	"github.com/atelier-project/atelier/bench/server"
)

// read is a request whose rate is measured against a bare handler.
type read struct {
	name      string
	path      string
	account   bool // with an API key: on every database
	unchanged bool // with the ETag of the answer, so that the answer is 304
}

var readTable = []read{
	{name: "account read", path: "/v2/account/me", account: true},
	{name: "balance read", path: "/v4/account/balance", account: true},
	{name: "plans", path: "/v1/subscriptions/plans"},
	{name: "model catalog", path: "/v1/model-catalog"},
	{name: "model catalog, unchanged (304)", path: "/v1/model-catalog", unchanged: true},
}

const (
	readTurns   = 7
	readClients = 64 // at once
)

// reads measures every read of the table.
func (b *bench) reads(ctx context.Context) error {
	b.out.Begin("Read", fmt.Sprintf("requests/s as a ratio to a bare net/http handler that answers the same bytes (%d clients)", readClients))
	if err := b.readsOn(ctx, "SQLite", "", func(read) bool { return true }); err != nil {
		return err
	}
	database, drop, err := postgres(ctx)
	if err != nil {
		b.out.Skip("PostgreSQL", err.Error())
		return nil
	}
	defer drop()
	return b.readsOn(ctx, "PostgreSQL", database, func(r read) bool { return r.account })
}

func (b *bench) readsOn(ctx context.Context, engine, database string, picked func(read) bool) error {
	s := b.service("read-"+engine, server.ReadLimits...)
	s.Database = database
	account, err := s.Account(ctx)
	if err != nil {
		return err
	}
	own, err := s.Serve(ctx)
	if err != nil {
		return err
	}
	defer own.Stop()
	for _, r := range readTable {
		if !picked(r) {
			continue
		}
		name, headers := r.name, ""
		if r.account {
			name, headers = name+", "+engine, account.Headers()
		}
		if err := b.compareRead(ctx, name, r, headers, own); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// compareRead measures one read: the service and the bare handler in turns.
func (b *bench) compareRead(ctx context.Context, name string, r read, headers string, own *server.Process) error {
	c, err := load.Dial(ctx, own.URL, headers)
	if err != nil {
		return err
	}
	defer c.Close()
	a, err := c.Ask("GET", r.path, "", nil)
	if err == nil && r.unchanged && a.Status == http.StatusOK {
		headers += "If-None-Match: " + a.Tag + "\r\n"
		a, err = c.Ask("GET", r.path, "If-None-Match: "+a.Tag+"\r\n", nil)
	}
	switch {
	case err != nil:
		return err
	case a.Status != http.StatusOK && !r.unchanged, a.Status != http.StatusNotModified && r.unchanged:
		return fmt.Errorf("%s answered %d: %s", r.path, a.Status, a.Body)
	}
	baseline, err := bare.StartAnswer(ctx, bare.Answer(a))
	if err != nil {
		return err
	}
	defer baseline.Stop()

	request := load.Request("GET", r.path, headers, nil)
	processes := [2]*server.Process{own, baseline}
	var conns [2][]*load.Conn
	for i, p := range processes {
		if conns[i], err = load.DialAll(ctx, p.URL, readClients, ""); err != nil {
			return err
		}
		defer load.CloseAll(conns[i])
		if _, err = load.Repeat(ctx, conns[i], request, a.Status, b.turn/5); err != nil { // to warm up
			return err
		}
	}
	rates := [2]measure.Side{{Name: "atelier", Unit: "/s"}, {Name: "bare", Unit: "/s"}}
	costs := [2]measure.Side{{Name: "atelier", Unit: "µs"}, {Name: "bare", Unit: "µs"}}
	for range readTurns {
		for i, p := range processes {
			before := p.CPU()
			calls, err := load.Repeat(ctx, conns[i], request, a.Status, b.turn/2)
			if err != nil {
				return err
			}
			rates[i].Turns = append(rates[i].Turns, calls.Rate)
			costs[i].Turns = append(costs[i].Turns, perAnswer(p.CPU()-before, calls))
		}
	}
	m := measure.Ratio(name, measure.More, rates[0], rates[1])
	m.Note = fmt.Sprintf("%d bytes", len(a.Body))
	b.out.Add(m)
	b.out.Add(measure.Ratio(name+", processor time", measure.Less, costs[0], costs[1]))
	return nil
}

// perAnswer is the processor time for an answer, in microseconds.
func perAnswer(used time.Duration, calls load.Calls) float64 {
	return float64(used.Microseconds()) / float64(len(calls.Whole))
}
