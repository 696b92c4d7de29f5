package offline

import "strings"

// fillLoras reads the LoRAs that a clause names: with the smile lora at 0.8.
func (r *reading) fillLoras(c *clause, t *task) {
	if !t.takes("loras") || !c.says("lora", "loras", "slider") {
		return
	}
	var ids, strengths []any
	for i := c.start; i < c.to; i++ {
		if c.used[i] || c.tokens[i].kind != word {
			continue
		}
		for _, l := range r.m.catalog.Loras() {
			id := lex(strings.NewReplacer("-", " ").Replace(l.LoraID))
			title := lex(l.Name)
			n := 0
			switch {
			case c.follow(i, id):
				n = len(id)
			case c.follow(i, title):
				n = len(title)
			default:
				continue
			}
			end := i + n
			for end < c.to && c.tokens[end].is("lora", "loras", "slider") {
				end++
			}
			strength := 1.0
			at := end
			for at < c.to && c.tokens[at].is("at", "strength", "with", "of", ":", "to") {
				at++
			}
			if at < c.to && at > end && c.tokens[at].kind == number {
				strength, end = c.tokens[at].value, at+1
			}
			c.use(i, end)
			c.absorb(i, "the", "with", "and", "using", "use", "lora", "a")
			ids, strengths = append(ids, l.LoraID), append(strengths, strength)
			break
		}
	}
	if ids == nil || len(ids) > 8 {
		return
	}
	t.args["loras"], t.args["loraStrengths"] = ids, strengths
	if argument := t.tool.Models.Argument; t.args[argument] == nil {
		if selector := r.loading(ids[0].(string), t.tool.Name); selector != "" {
			t.args[argument] = selector
		}
	}
}

// loading is a model of a tool that loads a LoRA, empty when the default does.
func (r *reading) loading(lora, tool string) string {
	for _, l := range r.m.catalog.Loras() {
		if l.LoraID != lora {
			continue
		}
		first := ""
		for _, id := range l.ModelIDs {
			m, ok := r.m.catalog.Model(id)
			if !ok || !m.Serves(tool) {
				continue
			}
			if selector := m.Selector(tool); selector == r.m.guide.defaultModel(tool) {
				return ""
			} else if first == "" {
				first = selector
			}
		}
		return first
	}
	return ""
}

// follow reports whether the tokens of a name stand at a place.
func (c *clause) follow(i int, name []token) bool {
	if len(name) == 0 || i+len(name) > c.to {
		return false
	}
	for k, t := range name {
		if c.tokens[i+k].low != t.low {
			return false
		}
	}
	return true
}
