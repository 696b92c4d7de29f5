package offline

import (
	"maps"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
)

// recalls answers what was done before: which model, what prompt.
func (r *reading) recalls(c *clause) bool {
	if len(r.s.last) == 0 || !c.says("did", "was", "were", "used") || !c.says("model", "models", "prompt", "settings", "tool", "tools", "arguments",
		"parameters", "size", "seed") {
		return false
	}
	var lines []string
	for _, t := range r.s.last {
		line := "I called " + t.tool.Name
		args := maps.Clone(t.args)
		if settled, _, err := r.m.settle(t, args, catalog.Facts{}); err == nil {
			if step, err := r.m.catalog.Step(t.tool.Name, settled, catalog.Facts{}); err == nil && step.Model != nil {
				line += ", which uses " + step.Model.Name
			}
		}
		if prompt, ok := t.args["prompt"].(string); ok {
			line += ", with the prompt \"" + clip(prompt, 200) + "\""
		}
		lines = append(lines, line+".")
	}
	r.say(strings.Join(lines, " "))
	return true
}
