package main

import (
	"context"
	"fmt"
	"strings"
)

// protocolRatio is what another protocol may add to an answer of the model server, as a ratio to chat completions.
const protocolRatio = 1.2

// protocol is a way to ask this service besides chat completions.
type protocol struct {
	name, path string
	body       string // %s is the model, and then what the mock is to answer
	direct     string // the path at the mock; empty for chat completions
}

var protocols = []protocol{
	{name: "responses", path: "/v1/responses", body: `{"model":%q,"store":false,"temperature":0.7,"max_output_tokens":4000,"instructions":"You are brief.","input":"Describe the sea. %s"}`},
	{name: "messages", path: "/v1/messages", body: `{"model":%q,"temperature":0.7,"max_tokens":4000,"system":"You are brief.","messages":[{"role":"user","content":"Describe the sea. %s"}]}`},
	{name: "embeddings", path: "/v1/embeddings", direct: "/v1/embeddings", body: `{"model":%q,"input":"Describe the sea. %s"}`},
}

// protocolTurns measures what other protocols add to the model server, beside what chat completions add, everyone in
// turn.
func (b *bench) protocolTurns(ctx context.Context, direct, own *gateway) error {
	k := gatewayCase{size: 1 << 10}
	type pair struct{ own, direct *gateway }
	pairs := []pair{{own, direct}}
	for _, p := range protocols {
		of, to := *own, *direct
		of.name, of.path, of.body = p.name, p.path, p.body
		if p.direct != "" {
			to.path, to.body = p.direct, p.body
		}
		pairs = append(pairs, pair{&of, &to})
	}
	sums := make([][]float64, len(pairs)) // what each adds, a turn each
	for turn := range gatewayTurns + 1 {
		for i, p := range pairs {
			mine, err := p.own.turn(ctx, k, 1, b.time/4)
			if err != nil {
				return fmt.Errorf("%s: %w", p.own.name, err)
			}
			theirs, err := p.direct.turn(ctx, k, 1, b.time/4)
			if err != nil {
				return err
			}
			if turn > 0 { // the first warms up
				sums[i] = append(sums[i], percentile(mine.whole, 50)-percentile(theirs.whole, 50))
			}
		}
	}
	for i, p := range protocols {
		ratio := quotient(sums[i+1], sums[0])
		b.out.row("  "+p.name+" to chat, added p50", fmt.Sprintf("%.2f", ratio), below(fmt.Sprintf("%.1f", protocolRatio)), ratio < protocolRatio,
			fmt.Sprintf("%.3f of %.3f ms", median(sums[i+1]), median(sums[0])))
	}
	return nil
}

// isEmbedding reports whether a request is for a vector.
func isEmbedding(path string) bool { return strings.HasSuffix(path, "/embeddings") }
