package node

import (
	"fmt"
	"time"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/llm"
)

// defaultContext is the context of an upstream model about which neither the
// configuration nor the catalog says more.
const defaultContext = 32768

// languageModels collects what the configuration offers. What it leaves out
// about a model that the catalog knows comes from there.
func languageModels(c config.LLM, known *catalog.Catalog) (*llm.Models, error) {
	created, err := time.Parse(time.RFC3339, known.UpdatedAt())
	if err != nil {
		return nil, fmt.Errorf("catalog: updatedAt: %w", err)
	}
	var list []llm.Model
	for _, u := range c.Upstreams {
		for _, m := range u.Models {
			model := llm.Model{
				ID: m.ID, OwnedBy: u.Name, Created: created, ContextLength: m.ContextLength,
				Reasoning: m.Reasoning, Vision: m.Vision, Replaces: m.Replaces,
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
	if c.Builtin {
		list = append(list, llm.Builtin(created))
	}
	models, err := llm.NewModels(list, c.DefaultModel)
	if err != nil {
		return nil, fmt.Errorf("llm.default_model: %w", err)
	}
	return models, nil
}
