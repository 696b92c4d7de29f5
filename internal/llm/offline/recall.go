package offline

import (
	"maps"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm/offline/phrase"
	"github.com/atelier-project/atelier/internal/llm/offline/token"
)

// describeLastCalls answers what was done before: which model, what prompt.
func (r *interpretation) describeLastCalls(c *token.Clause) bool {
	if len(r.state.last) == 0 || !c.Contains("did", "was", "were", "used") || !c.Contains("model", "models", "prompt", "settings", "tool", "tools", "arguments",
		"parameters", "size", "seed") {
		return false
	}
	var lines []string
	for _, t := range r.state.last {
		line := "I called " + t.tool.Name
		args := maps.Clone(t.args)
		if settled, _, err := r.planner.fitArguments(t, args, catalog.Facts{}); err == nil {
			if step, err := r.planner.catalog.Step(t.tool.Name, settled, catalog.Facts{}); err == nil && step.Model != nil {
				line += ", which uses " + step.Model.Name
			}
		}
		if prompt, ok := t.args["prompt"].(string); ok {
			line += ", with the prompt \"" + phrase.Shorten(prompt, 200) + "\""
		}
		lines = append(lines, line+".")
	}
	r.say(strings.Join(lines, " "))
	return true
}
