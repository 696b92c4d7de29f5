package gateway

import (
	"context"

	"github.com/atelier-project/atelier/bench/server"
)

// The models of the service in front of the model server.
const (
	Free   = "free"
	Priced = "priced"
)

// withoutTools has the service pass on what it gets, as other gateways do, without tools that it hosts.
const withoutTools = `"svc_tools":"none",`

// Models is the configuration of a service whose models are those of a server at a base URL.
func Models(base string) map[string]any {
	return map[string]any{"llm": map[string]any{"default_model": Free, "upstreams": []any{map[string]any{
		"name": "mock", "base_url": base + "/v1", "api_key": "none",
		"models": []any{
			map[string]any{"id": Free, "context_length": 131072},
			map[string]any{"id": Priced, "context_length": 131072, "price_per_million_input": "0.25", "price_per_million_output": "1.00"},
		},
	}}}}
}

// Own starts the service in front of a model server.
func Own(ctx context.Context, s server.Service, model string) (*Gateway, error) {
	account, err := s.Account(ctx, server.Rich...)
	if err != nil {
		return nil, err
	}
	return OwnOf(ctx, s, account, model)
}

// OwnOf is Own for an account that the service has already.
func OwnOf(ctx context.Context, s server.Service, account server.Account, model string) (*Gateway, error) {
	s.Env = append(s.Env, server.WorkLimits...)
	p, err := s.Configured(ctx, Models(model))
	if err != nil {
		return nil, err
	}
	g, err := At("atelier", p.URL+"/v1", account.APIKey, Free)
	if err != nil {
		p.Stop()
		return nil, err
	}
	g.Extra, g.Process = withoutTools, p
	return g, nil
}
