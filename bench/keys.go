package main

import (
	"context"

	"github.com/atelier-project/atelier/bench/gateway"
	"github.com/atelier-project/atelier/bench/measure"
	"github.com/atelier-project/atelier/bench/server"
	"github.com/atelier-project/atelier/bench/work"
)

// keyClients start workflows at once.
const keyClients = 8

// keyLimits are limits that nothing here exceeds, and keyBudget is a budget beside them. A rate is left out: the
// highest that a key can have is less than what is asked here.
var (
	keyLimits = []string{"--allow", "chat,workflows", "--models", gateway.Free + "," + gateway.Priced + ",z_image_turbo_bf16", "--tools", "generate_image",
		"--addresses", "127.0.0.0/8", "--expires", "30d"}
	keyBudget = append([]string{"--budget", "1000000/day", "--budget", "9000000/total"}, keyLimits...)
)

// keys measures what the limits of an API key cost: the same requests with a key that has none and one that has them
// all, in turn, of one account.
func (b *bench) keys(ctx context.Context) error {
	b.out.Begin("Keys", "requests with a limited API key, to those with one that has no limits")
	if err := b.chatKeys(ctx); err != nil {
		return err
	}
	return b.startKeys(ctx)
}

func (b *bench) chatKeys(ctx context.Context) error {
	direct, err := startModel(ctx)
	if err != nil {
		return err
	}
	defer direct.Stop()
	service := b.service("keys")
	account, err := service.Account(ctx, server.Rich...)
	if err != nil {
		return err
	}
	limited, err := service.Key(ctx, account.WalletAddress, keyLimits...)
	if err != nil {
		return err
	}
	budgeted, err := service.Key(ctx, account.WalletAddress, keyBudget...)
	if err != nil {
		return err
	}
	free, err := gateway.OwnOf(ctx, service, account, direct.Process.URL)
	if err != nil {
		return err
	}
	defer free.Stop()
	with := func(of *gateway.Gateway, name, headers string) *gateway.Gateway {
		return of.As(name, func(g *gateway.Gateway) { g.Headers = headers })
	}
	priced := free.As("priced", func(g *gateway.Gateway) { g.Model = gateway.Priced })
	k, all := gatewayCases[0], []*gateway.Gateway{free, with(free, "limited", limited), priced, with(priced, "priced, limited with a budget", budgeted)}
	figures, err := b.gatewayCase(ctx, k, all)
	if err != nil {
		return err
	}
	for i := 1; i < len(figures); i += 2 {
		own, without := figures[i], figures[i-1]
		name := k.String() + ", " + all[i].Name + ", "
		b.out.Add(measure.Ratio(name+"p50", measure.Less, own.p50, without.p50))
		b.out.Add(measure.Ratio(name+"requests/s", measure.More, own.rate, without.rate))
		b.out.Add(measure.Ratio(name+"processor time", measure.Less, own.cpu, without.cpu))
	}
	return nil
}

func (b *bench) startKeys(ctx context.Context) error {
	s, err := work.Open(ctx, b.service("keys-starts"), 1)
	if err != nil {
		return err
	}
	defer s.Stop()
	budgeted, err := s.Key(ctx, keyBudget...)
	if err != nil {
		return err
	}
	sides := []measure.Side{{Name: "limited with a budget", Unit: "/s"}, {Name: "without limits", Unit: "/s"}}
	for turn := range gatewayTurns + 1 {
		for i, headers := range []string{budgeted, s.Clients[0]} {
			rate, err := s.AcceptedOf(ctx, b.turn, keyClients, headers)
			if err != nil {
				return err
			}
			if turn > 0 { // the first warms up
				sides[i].Turns = append(sides[i].Turns, rate)
			}
		}
	}
	b.out.Add(measure.Ratio("workflow starts, limited with a budget, starts/s", measure.More, sides[0], sides[1]))
	return nil
}
