package main

import (
	"context"
	"fmt"
	"os"

	"github.com/atelier-project/atelier/bench/bare"
	"github.com/atelier-project/atelier/bench/gateway"
	"github.com/atelier-project/atelier/bench/measure"
)

const (
	gatewayTurns   = 5
	gatewayClients = 10 // at once, where rates are measured
)

var gatewayCases = []gateway.Case{
	{Size: 1 << 10}, {Size: 10 << 10}, {Stream: true, Size: 1 << 10}, {Stream: true, Size: 10 << 10},
}

// startModel starts the model server that gateways are measured against.
func startModel(ctx context.Context) (*gateway.Gateway, error) {
	process, err := bare.StartModel(ctx, os.Getenv("MOCK_LISTEN"))
	if err != nil {
		return nil, err
	}
	direct, err := gateway.At("direct", process.URL+"/v1", "", "mock")
	if err != nil {
		process.Stop()
		return nil, err
	}
	direct.Process = process
	return direct, nil
}

// startPeers starts those that there are to compare with, and that answer what the model says.
func (b *bench) startPeers(ctx context.Context, model string) (found []*gateway.Gateway) {
	for _, p := range b.peers {
		g, err := p.Start(ctx, b.dir, model)
		for _, k := range gatewayCases {
			if err == nil {
				err = g.Check(ctx, k)
			}
		}
		if err == nil {
			found = append(found, g)
			continue
		}
		b.out.Skip(p.Name, err.Error())
		if g != nil {
			g.Stop()
		}
	}
	return found
}

// gateways measures chat completions that are passed through: what the service adds to a model server that answers at
// once, beside what other gateways add to it on the same machine.
func (b *bench) gateways(ctx context.Context) error {
	b.out.Begin("Gateway", fmt.Sprintf("chat completions of a model server that answers at once, to asking it directly; latency with 1 client, requests/s with %d", gatewayClients))
	direct, err := startModel(ctx)
	if err != nil {
		return err
	}
	defer direct.Stop()
	own, err := gateway.Own(ctx, b.service("gateway"), direct.Process.URL)
	if err != nil {
		return err
	}
	defer own.Stop()
	peers := b.startPeers(ctx, direct.Process.URL)
	for _, g := range peers {
		defer g.Stop()
	}
	variants := []*gateway.Gateway{
		own.As("priced", func(g *gateway.Gateway) { g.Model = gateway.Priced }),
		own.As("with hosted tools", func(g *gateway.Gateway) { g.Extra = "" }),
	}
	for _, k := range gatewayCases {
		all := append(append([]*gateway.Gateway{direct, own}, variants...), peers...)
		figures, err := b.gatewayCase(ctx, k, all)
		if err != nil {
			return fmt.Errorf("%v: %w", k, err)
		}
		b.addGateways(k.String()+", ", figures, len(variants))
		variants = variants[:1] // tools once
	}
	return b.protocols(ctx, direct, own)
}

// gatewayFigures is what the turns of one gateway gave.
type gatewayFigures struct{ p50, p99, rate, cpu measure.Side }

// gatewayCase measures one kind of answer, all in turn.
func (b *bench) gatewayCase(ctx context.Context, k gateway.Case, all []*gateway.Gateway) ([]gatewayFigures, error) {
	figures := make([]gatewayFigures, len(all))
	for i, g := range all {
		figures[i] = gatewayFigures{
			p50: measure.Side{Name: g.Name, Unit: "ms"}, p99: measure.Side{Name: g.Name, Unit: "ms"},
			rate: measure.Side{Name: g.Name, Unit: "/s"}, cpu: measure.Side{Name: g.Name, Unit: "µs"},
		}
		if err := g.Check(ctx, k); err != nil {
			return nil, fmt.Errorf("%s: %w", g.Name, err)
		}
		if _, _, err := g.Turn(ctx, k, gatewayClients, b.turn/2); err != nil { // to warm up
			return nil, err
		}
	}
	for range gatewayTurns {
		for i, g := range all {
			f := &figures[i]
			one, _, err := g.Turn(ctx, k, 1, b.turn/4)
			if err != nil {
				return nil, err
			}
			many, cpu, err := g.Turn(ctx, k, gatewayClients, b.turn/2)
			if err != nil {
				return nil, err
			}
			f.p50.Turns, f.p99.Turns = append(f.p50.Turns, measure.Percentile(one.Whole, 50)), append(f.p99.Turns, measure.Percentile(one.Whole, 99))
			f.rate.Turns, f.cpu.Turns = append(f.rate.Turns, many.Rate), append(f.cpu.Turns, cpu)
		}
	}
	return figures, nil
}

// addGateways compares the model server, the service, some ways to ask the service, and its peers, in this order. What
// they add is compared by subtraction: on a busy machine it may be nothing in a turn, which is no divisor.
func (b *bench) addGateways(k string, figures []gatewayFigures, variants int) {
	direct, own := figures[0], figures[1]
	b.out.Add(measure.Added(k+"added p50", own.p50, direct.p50))
	b.out.Add(measure.Added(k+"added p99", own.p99, direct.p99))
	b.out.Add(measure.Ratio(k+"requests/s to the model's", measure.More, own.rate, direct.rate))
	b.out.Add(measure.Ratio(k+"processor time to the model's", measure.Less, own.cpu, direct.cpu))
	for _, f := range figures[2 : 2+variants] {
		b.out.Add(measure.Added(k+f.p50.Name+", added p50 beyond without", f.p50.Over(direct.p50), own.p50.Over(direct.p50)))
		b.out.Add(measure.Ratio(k+f.p50.Name+", requests/s to without", measure.More, f.rate, own.rate))
	}
	for _, f := range figures[2+variants:] {
		b.out.Add(measure.Added(k+"added p50 beyond "+f.p50.Name, own.p50.Over(direct.p50), f.p50.Over(direct.p50)))
		b.out.Add(measure.Added(k+"added p99 beyond "+f.p50.Name, own.p99.Over(direct.p99), f.p99.Over(direct.p99)))
		b.out.Add(measure.Ratio(k+"requests/s to "+f.p50.Name, measure.More, own.rate, f.rate))
		if f.cpu.Turns.Median() > 0 {
			b.out.Add(measure.Ratio(k+"processor time to "+f.p50.Name, measure.Less, own.cpu, f.cpu))
		}
	}
}
