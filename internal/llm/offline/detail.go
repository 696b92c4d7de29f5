package offline

import (
	"strings"
)

// details takes a clause that only says more about what was just asked for, in
// the same message: it should be night, use krea, make it fluffy.
func (r *reading) details(c *clause) bool {
	if r.completes(c) {
		return true
	}
	t := r.newest()
	if t == nil || c.then || c.bullet {
		return false
	}
	made := t.act == "make" || t.act == "speak"
	first := c.tokens[c.start]
	next := token{}
	if c.start+1 < c.to {
		next = c.tokens[c.start+1]
	}
	a, _ := find(r.m.rules, c)
	plainEdit := a == "" || a == "edit" || a == "make" || a == "style" || a == "refine" || a == "angle" || a == "again" || a == "extend"
	switch {
	case first.is("it", "they", "he", "she", "there") && next.is("should", "must", "is", "has", "needs", "are", "have", "looks", "can", "will", "shouldn't"):
	case first.is("it's", "they're", "he's", "she's"):
	case first.is("the", "its", "his", "all") && c.says("should", "must", "needs", "shouldn't") && a == "":
	case first.is("use", "using") && a == "" && (r.m.names(c, t) || c.peek("foreign") != nil):
	case c.tokens[c.start].is("make") && next.is("sure") || first.is("ensure"):
	case made && c.entry(c.start, c.to, "verb", "make", "set") != nil && next.is("it", "them", "the") && plainEdit && !c.beyond(t):
	case made && c.entry(c.start, c.to, "verb", "add") != nil && (a == "edit" || a == "overlay" && t.makes() == "image") && !next.is("it", "this"):
	case a == "" && c.particular():
	default:
		return false
	}
	r.amend(t, c)
	return true
}

// completes takes a clause for what a request of the same message lacks: make a
// picture. It should show a library.
func (r *reading) completes(c *clause) bool {
	n := len(r.asked)
	if n == 0 || r.asked[n-1].slot != "prompt" || c.bullet || c.asks() {
		return false
	}
	if a, _ := find(r.m.rules, c); a != "" && a != "style" && a != "edit" || c.nominal(c.start, c.to, true) {
		return false
	}
	t := r.asked[n-1].task
	r.fill(c, t)
	text := c.addition()
	if text == "" {
		return true // particulars alone
	}
	t.args["prompt"], t.about = text, ""
	r.asked = r.asked[:n-1]
	r.add(t)
	return true
}

// names reports whether a clause names a model of a task's tool, and leaves it
// there.
func (p *planner) names(c *clause, t *task) bool {
	for i := c.start; i < c.to; i++ {
		if a, _ := p.naming.at(c.text, i, c.to, t.tool.Name, true); a != nil {
			return true
		}
	}
	return false
}

// beyond reports whether a change is of another kind than the description: to
// make it move is another clip, not another picture.
func (c *clause) beyond(t *task) bool {
	return t.makes() == "image" && (c.peek("moving") != nil || c.peek("bigger") != nil)
}

// particular reports whether a clause without a verb begins like a particular of
// what stands before it: in watercolour, without people, 16:9.
func (c *clause) particular() bool {
	tok := c.tokens[c.start]
	return tok.is("in", "with", "without", "no", "at", "on", "using", "as", "style", "size", "format", "aspect", "resolution", "negative", "seed",
		"duration", "length", "tempo", "avoid", "preferably", "ideally", "like", "under", "near",
		"during", "while", "under", "against", "for", "from", "quality", "model", "voice", "language", "key", "bpm", "not", "also") ||
		tok.kind == number || c.has(c.start, c.to, "style", "shape", "definition", "quality", "vocal", "silence")
}

// lists takes an entry of a list for the request before it: draw these: …
func (r *reading) lists(c *clause) bool {
	if !c.bullet {
		return false
	}
	a, _ := find(r.m.rules, c)
	if a != "" && a != "style" && !c.nominal(c.start, c.to, true) {
		return false
	}
	var base *task
	if n := len(r.asked); n > 0 && r.asked[n-1].slot == "prompt" && r.asked[n-1].task.act == "make" {
		base = r.asked[n-1].task
		r.asked = r.asked[:n-1]
		base.act = "list"
	} else if t := r.newest(); t != nil && t.act == "list" {
		base = t
	}
	if base == nil {
		return false
	}
	t := base.copy()
	delete(t.args, "numberOfVariations")
	r.fill(c, t)
	t.args["prompt"] = c.rest(c.start, c.to)
	t.about = t.args["prompt"].(string)
	if t.about != "" {
		r.add(t)
	}
	return true
}

// replies takes a clause as the answer to a question of the turn before.
func (r *reading) replies(c *clause) bool {
	w := r.s.pending
	if w == nil || !r.empty() || len(r.loose) > 0 {
		return false
	}
	if a, _ := find(r.m.rules, c); a != "" && !(w.slot == "prompt" && a == "style") || c.asks() {
		r.s.pending = nil
		return false
	}
	r.s.pending = nil
	t := w.task.copy()
	switch w.slot {
	case "image", "video", "audio":
		refs := r.refs(c, w.slot)
		if refs == nil && w.slot == "image" && c.to-c.start >= 2 && w.task.act == "animate" {
			r.makeVideo(c, head{from: c.start})
			return true
		}
		r.on(t, w.argument, w.slot, refs)
	case "dance":
		if name := c.takeDance(t); name != "" {
			t.args["dance"] = name
			r.need(t, "dance", "")
			return true
		}
		r.ask(t, "dance", "There is no such dance. There are "+choices(t.tool, "dance")+".")
	case "text":
		text := c.takeQuote()
		if text == "" {
			text = c.rest(c.start, c.to)
		}
		if list, ok := t.args["overlays"].([]any); ok && len(list) == 1 {
			over := map[string]any{"kind": "text", "text": text}
			if before, ok := list[0].(map[string]any); ok {
				if p, given := before["position"]; given {
					over["position"] = p
				}
			}
			t.args["overlays"], t.about = []any{over}, text
		}
		r.on(t, "sourceVideoIndex", "video", r.refs(c, "video"))
	default:
		r.fill(c, t)
		if e := c.entry(c.start, c.to, "wild"); e != nil && t.makes() != "" {
			t.args[w.slot] = r.m.phrases.idea(c.src)
			r.need(t, w.slot, w.question)
			return true
		}
		text := c.takeQuote()
		if text == "" || t.tool.Name != "generate_speech" {
			text = strings.TrimSpace(c.rest(c.start, c.to) + map[bool]string{true: " " + text}[text != ""])
		}
		t.args[w.slot], t.about = text, text
		if name, ok := t.args["name"].(string); t.tool.Name == "compose_workflow_template" && (!ok || name == "") {
			t.args["name"] = titleOf(text)
		}
		r.need(t, w.slot, w.question)
	}
	return true
}
