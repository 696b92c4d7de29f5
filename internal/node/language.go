package node

import (
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/kit"
	"github.com/atelier-project/atelier/internal/llm"
)

// defaultContext is the context of an upstream model about which neither the
// configuration nor its server nor the catalog says more.
const defaultContext = 32768

// languageModels collects what the configuration offers, and the servers behind
// it. What it leaves out about a model that the catalog knows comes from there.
func languageModels(c config.LLM, known *catalog.Catalog, builtin *kit.Completer, log *slog.Logger) (*llm.Models, []*llm.Upstream, error) {
	created, err := time.Parse(time.RFC3339, known.UpdatedAt())
	if err != nil {
		return nil, nil, fmt.Errorf("catalog: updatedAt: %w", err)
	}
	var (
		list    []llm.Model
		all     []*llm.Upstream
		servers = map[string][]llm.Completer{} // several may serve one model
	)
	for _, u := range c.Upstreams {
		ids, contexts := map[string]string{}, map[string]int{}
		for _, m := range u.Models {
			ids[m.ID], contexts[m.ID] = m.UpstreamID, m.ContextLength
		}
		server := llm.NewUpstream(llm.UpstreamOptions{
			Name: u.Name, BaseURL: u.BaseURL, APIKey: u.APIKey, IDs: ids, Contexts: contexts, Extra: u.ExtraParams, Log: log,
		})
		all = append(all, server)
		for _, m := range u.Models {
			servers[m.ID] = append(servers[m.ID], server)
			if len(servers[m.ID]) > 1 {
				if i := slices.IndexFunc(list, func(l llm.Model) bool { return l.ID == m.ID }); !u.Covers(m) {
					list[i].NoPlan = true // one of its servers may cost money
				}
				continue
			}
			model := llm.Model{
				ID: m.ID, OwnedBy: u.Name, Created: created, ContextLength: m.ContextLength,
				Reasoning: m.Reasoning, Vision: m.Vision, Replaces: m.Replaces, PriceIn: m.PricePerMInput, PriceOut: m.PricePerMOut, NoPlan: !u.Covers(m),
				Tools: llm.ToolDetail(m.Tools),
			}
			if facts, ok := known.LLM(m.ID); ok {
				model.Replaces = append(model.Replaces, facts.Replaces...)
				if model.ContextLength == 0 {
					model.ContextLength = facts.ContextLength
				}
			}
			if model.ContextLength == 0 {
				model.ContextLength = defaultContext
			}
			list = append(list, model)
		}
	}
	for i := range list {
		list[i].Completer = llm.NewRouter(servers[list[i].ID]...)
	}
	if c.Builtin {
		model := llm.Builtin(created)
		model.Completer = builtin
		list = append(list, model)
	}
	models, err := llm.NewModels(list, c.DefaultModel)
	if err != nil {
		return nil, nil, fmt.Errorf("llm.default_model: %w", err)
	}
	return models, all, nil
}
