package main

import (
	"context"

	"github.com/atelier-project/atelier/bench/gateway"
	"github.com/atelier-project/atelier/bench/measure"
)

// protocol is a way to ask this service besides chat completions.
type protocol struct {
	name, path, body string
	direct           bool // the model server speaks it too
}

var protocolTable = []protocol{
	{name: "responses", path: "/v1/responses", body: `{"model":%q,"store":false,"temperature":0.7,"max_output_tokens":4000,"instructions":"You are brief.","input":"Describe the sea. %s"}`},
	{name: "messages", path: "/v1/messages", body: `{"model":%q,"temperature":0.7,"max_tokens":4000,"system":"You are brief.","messages":[{"role":"user","content":"Describe the sea. %s"}]}`},
	{name: "embeddings", path: "/v1/embeddings", direct: true, body: `{"model":%q,"input":"Describe the sea. %s"}`},
}

// protocols measures what other protocols add to the model server, to what chat completions add.
func (b *bench) protocols(ctx context.Context, direct, own *gateway.Gateway) error {
	k := gateway.Case{Size: 1 << 10}
	type pair struct{ own, direct *gateway.Gateway }
	pairs := []pair{{own.As("chat", func(*gateway.Gateway) {}), direct}}
	for _, p := range protocolTable {
		speak := func(g *gateway.Gateway) { g.Path, g.Body = p.path, p.body }
		to := direct
		if p.direct {
			to = direct.As("direct", speak)
		}
		pairs = append(pairs, pair{own.As(p.name, speak), to})
	}
	sums := make([]measure.Side, len(pairs)) // what each adds
	for turn := range gatewayTurns + 1 {
		for i, p := range pairs {
			var p50 [2]float64
			for side, g := range []*gateway.Gateway{p.own, p.direct} {
				calls, _, err := g.Turn(ctx, k, 1, b.turn/4)
				if err != nil {
					return err
				}
				p50[side] = measure.Percentile(calls.Whole, 50)
			}
			if turn > 0 { // the first warms up
				sums[i] = measure.Side{Name: p.own.Name, Unit: "ms", Turns: append(sums[i].Turns, p50[0]-p50[1])}
			}
		}
	}
	for i, p := range protocolTable {
		b.out.Add(measure.Ratio(p.name+" to chat, added p50", measure.Less, sums[i+1], sums[0]))
	}
	return nil
}
