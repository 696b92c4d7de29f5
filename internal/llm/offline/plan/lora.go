package plan

import (
	"strings"

	"github.com/atelier-project/atelier/internal/llm/offline/token"
)

// fillLoras reads the LoRAs that a clause names: with the smile lora at 0.8.
func (r *Interpretation) fillLoras(c *token.Clause, t *Task) {
	if !t.HasArgument("loras") || !c.Contains("lora", "loras", "slider") {
		return
	}
	var ids, strengths []any
	for i := c.Start; i < c.End; i++ {
		if c.Used[i] || c.Tokens[i].Kind != token.Word {
			continue
		}
		for _, l := range r.planner.catalog.Loras() {
			id := token.Tokenize(strings.NewReplacer("-", " ").Replace(l.LoraID))
			title := token.Tokenize(l.Name)
			n := 0
			switch {
			case c.MatchTokens(i, id):
				n = len(id)
			case c.MatchTokens(i, title):
				n = len(title)
			default:
				continue
			}
			end := i + n
			for end < c.End && c.Tokens[end].Is("lora", "loras", "slider") {
				end++
			}
			strength := 1.0
			at := end
			for at < c.End && c.Tokens[at].Is("at", "strength", "with", "of", ":", "to") {
				at++
			}
			if at < c.End && at > end && c.Tokens[at].Kind == token.Number {
				strength, end = c.Tokens[at].Value, at+1
			}
			c.Use(i, end)
			c.UseBefore(i, "the", "with", "and", "using", "use", "lora", "a")
			ids, strengths = append(ids, l.LoraID), append(strengths, strength)
			break
		}
	}
	if ids == nil || len(ids) > 8 {
		return
	}
	t.Args["loras"], t.Args["loraStrengths"] = ids, strengths
	if argument := t.Tool.Models.Argument; t.Args[argument] == nil {
		if selector := r.chooseLoraModel(ids[0].(string), t.Tool.Name); selector != "" {
			t.Args[argument] = selector
		}
	}
}

// chooseLoraModel returns a model of a tool that loads a LoRA, empty when the default does.
func (r *Interpretation) chooseLoraModel(lora, tool string) string {
	for _, l := range r.planner.catalog.Loras() {
		if l.LoraID != lora {
			continue
		}
		first := ""
		for _, id := range l.ModelIDs {
			m, ok := r.planner.catalog.Model(id)
			if !ok || !m.Serves(tool) {
				continue
			}
			if selector := m.Selector(tool); selector == r.planner.Guide.DefaultModel(tool) {
				return ""
			} else if first == "" {
				first = selector
			}
		}
		return first
	}
	return ""
}
