package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
)

// What a chat gateway may add to the answers of a model server.
const (
	gatewayLatency = 0.3 // milliseconds, p50
	gatewayClients = 10  // at once, where rates are measured
	gatewayTurns   = 5
)

var gatewayCases = []gatewayCase{
	{size: 1 << 10}, {size: 10 << 10}, {stream: true, size: 1 << 10}, {stream: true, size: 10 << 10},
}

// gateways measures chat completions that are passed through: what the service
// adds to a mock model server that answers at once, beside what other gateways
// add to it on the same machine. The mock, each gateway and the clients are
// processes of their own.
func (b *bench) gateways(ctx context.Context) error {
	b.out.part(fmt.Sprintf("Gateway: chat completions of an instant mock, beside asking it directly; latency with 1 client, requests/s with %d", gatewayClients))
	mock, err := startMock(ctx, cmp.Or(os.Getenv("MOCK_LISTEN"), "127.0.0.1:0"))
	if err != nil {
		return err
	}
	defer mock.stop()
	own, err := b.ownGateway(ctx, "gateway", mock.url)
	if err != nil {
		return err
	}
	defer own.stop()
	direct, err := gatewayAt("direct", mock.url+"/v1", "", "mock")
	if err != nil {
		return err
	}
	direct.process = mock
	others := b.otherGateways(ctx, mock.url)
	for _, g := range others {
		defer g.stop()
	}
	priced, tooled := *own, *own
	priced.name, priced.model = "priced", pricedModel
	tooled.name, tooled.extra = "hosted tools", ""
	for _, k := range gatewayCases {
		sides := append([]*gateway{direct, own, &priced}, others...)
		if k == gatewayCases[0] {
			sides = append(sides, &tooled)
		}
		if err := b.gatewayTurns(ctx, k, sides); err != nil {
			return fmt.Errorf("%v: %w", k, err)
		}
	}
	if err := b.protocolTurns(ctx, direct, own); err != nil {
		return err
	}
	own.stop()
	return b.gatewayMemory(ctx, mock.url, others)
}

// otherGateways are those that there are to compare with. They are only
// compared once they answer what the mock says.
func (b *bench) otherGateways(ctx context.Context, mock string) (found []*gateway) {
	add := func(name string, g *gateway, err error) {
		for _, k := range gatewayCases {
			if err == nil {
				err = g.check(ctx, k)
			}
		}
		if err == nil {
			found = append(found, g)
			return
		}
		b.out.skip(name, err.Error())
		if g != nil {
			g.stop()
		}
	}
	if b.portkey == "" {
		b.out.skip("Portkey", "it was not installed")
	} else {
		g, err := portkey(ctx, b.portkey, mock)
		add("Portkey", g, err)
	}
	g, err := peer()
	add("another gateway", g, err)
	return found
}

// gatewayFigures is what the turns of one gateway gave.
type gatewayFigures struct {
	p50, p99, first, rate, cpu []float64 // a turn each
}

// gatewayTurns measures one kind of answer: everyone in turn. The first is the
// mock itself, the second this service.
func (b *bench) gatewayTurns(ctx context.Context, k gatewayCase, sides []*gateway) error {
	for _, g := range sides {
		if err := g.check(ctx, k); err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
		if _, err := g.turn(ctx, k, gatewayClients, b.time/2); err != nil { // to warm up
			return err
		}
	}
	figures := make([]gatewayFigures, len(sides))
	for range gatewayTurns {
		for i, g := range sides {
			f := &figures[i]
			one, err := g.turn(ctx, k, 1, b.time/4)
			if err != nil {
				return err
			}
			f.p50, f.p99 = append(f.p50, percentile(one.whole, 50)), append(f.p99, percentile(one.whole, 99))
			f.first = append(f.first, percentile(one.first, 50))
			many, err := g.turn(ctx, k, gatewayClients, b.time/2)
			if err != nil {
				return err
			}
			f.rate, f.cpu = append(f.rate, many.rate), append(f.cpu, many.cpu)
		}
	}
	for i, g := range sides[1:] {
		name := k.String()
		if i > 0 {
			name = "  " + g.name
		}
		if g.process == sides[1].process {
			b.addedRows(name, figures[i+1], figures[0], g.extra == noTools)
		} else {
			b.rivalRows("  to "+g.name, figures[1], figures[i+1], figures[0])
		}
	}
	return nil
}

// addedRows prints what this service adds to the mock.
func (b *bench) addedRows(name string, own, direct gatewayFigures, aimed bool) {
	p50 := added(own.p50, direct.p50)
	limit := aim("")
	if aimed {
		limit = below(fmt.Sprintf("%.1f ms", gatewayLatency))
	}
	b.out.row(name+", added p50", fmt.Sprintf("%.3f ms", p50), limit, p50 < gatewayLatency,
		fmt.Sprintf("%.3f of %.3f ms; first byte %.3f of %.3f", median(own.p50), median(direct.p50), median(own.first), median(direct.first)))
	b.out.row(name+", added p99", fmt.Sprintf("%.3f ms", added(own.p99, direct.p99)), "", true,
		fmt.Sprintf("%.3f of %.3f ms", median(own.p99), median(direct.p99)))
	more := fmt.Sprintf("%s of %s", count(median(own.rate)), count(median(direct.rate)))
	if cpu := median(own.cpu); cpu > 0 {
		more += fmt.Sprintf(", CPU %.0f µs, the mock's %.0f", cpu, median(direct.cpu))
	}
	b.out.row(name+", requests/s", fmt.Sprintf("%.2f", quotient(own.rate, direct.rate)), "", true, more)
}

// rivalRows prints this service as a ratio to another gateway.
func (b *bench) rivalRows(name string, own, theirs, direct gatewayFigures) {
	for _, p := range []struct {
		name string
		own  float64
		than float64
	}{
		{"p50", added(own.p50, direct.p50), added(theirs.p50, direct.p50)},
		{"p99", added(own.p99, direct.p99), added(theirs.p99, direct.p99)},
	} {
		b.out.row(name+", added "+p.name, fmt.Sprintf("%.2f", p.own/p.than), below("1.0"), p.own < p.than, fmt.Sprintf("%.3f of %.3f ms", p.own, p.than))
	}
	ratio := quotient(own.rate, theirs.rate)
	more := fmt.Sprintf("%s of %s", count(median(own.rate)), count(median(theirs.rate)))
	if cpu := median(theirs.cpu); cpu > 0 {
		more += fmt.Sprintf(", CPU %.0f of %.0f µs", median(own.cpu), cpu)
	}
	b.out.row(name+", requests/s", fmt.Sprintf("%.1f", ratio), atLeast(1), ratio >= 1, more)
}

// added is the median of what the turns of one took longer than those of the
// other.
func added(of, than []float64) float64 {
	var more []float64
	for i := range of {
		more = append(more, of[i]-than[i])
	}
	return median(more)
}

// quotient is the median of the turns' ratios.
func quotient(of, than []float64) float64 {
	var ratios []float64
	for i := range of {
		ratios = append(ratios, of[i]/than[i])
	}
	return median(ratios)
}
