package offline

import "strings"

// fillLoras reads the LoRAs that a clause names: with the smile lora at 0.8.
func (r *interpretation) fillLoras(c *clause, t *task) {
	if !t.hasArgument("loras") || !c.contains("lora", "loras", "slider") {
		return
	}
	var ids, strengths []any
	for i := c.start; i < c.end; i++ {
		if c.used[i] || c.tokens[i].kind != word {
			continue
		}
		for _, l := range r.planner.catalog.Loras() {
			id := tokenize(strings.NewReplacer("-", " ").Replace(l.LoraID))
			title := tokenize(l.Name)
			n := 0
			switch {
			case c.matchTokens(i, id):
				n = len(id)
			case c.matchTokens(i, title):
				n = len(title)
			default:
				continue
			}
			end := i + n
			for end < c.end && c.tokens[end].is("lora", "loras", "slider") {
				end++
			}
			strength := 1.0
			at := end
			for at < c.end && c.tokens[at].is("at", "strength", "with", "of", ":", "to") {
				at++
			}
			if at < c.end && at > end && c.tokens[at].kind == number {
				strength, end = c.tokens[at].value, at+1
			}
			c.use(i, end)
			c.useBefore(i, "the", "with", "and", "using", "use", "lora", "a")
			ids, strengths = append(ids, l.LoraID), append(strengths, strength)
			break
		}
	}
	if ids == nil || len(ids) > 8 {
		return
	}
	t.args["loras"], t.args["loraStrengths"] = ids, strengths
	if argument := t.tool.Models.Argument; t.args[argument] == nil {
		if selector := r.chooseLoraModel(ids[0].(string), t.tool.Name); selector != "" {
			t.args[argument] = selector
		}
	}
}

// chooseLoraModel is a model of a tool that loads a LoRA, empty when the default does.
func (r *interpretation) chooseLoraModel(lora, tool string) string {
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
			if selector := m.Selector(tool); selector == r.planner.guide.defaultModel(tool) {
				return ""
			} else if first == "" {
				first = selector
			}
		}
		return first
	}
	return ""
}

// matchTokens reports whether the tokens of a name stand at a place.
func (c *clause) matchTokens(i int, name []token) bool {
	if len(name) == 0 || i+len(name) > c.end {
		return false
	}
	for k, t := range name {
		if c.tokens[i+k].text != t.text {
			return false
		}
	}
	return true
}
