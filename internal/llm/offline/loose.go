package offline

import (
	"strings"
)

// settleLoose finds a use for the clauses that asked for nothing by themselves:
// they say more about a request, describe a picture, or ask for help.
func (r *reading) settleLoose(t *text) {
	if len(r.loose) == 0 {
		r.shownAlone(t)
		return
	}
	for _, task := range r.tasks {
		if task.act != "make" || task.args["prompt"] == nil {
			continue
		}
		for _, c := range r.loose {
			if !c.asks() {
				r.amend(task, c)
			}
		}
		return
	}
	if len(r.tasks) > 0 || len(r.asked) > 0 {
		return
	}
	for _, c := range r.loose {
		if r.nudges(c) {
			return
		}
		if r.continues(c) {
			r.redo(c)
			return
		}
	}
	for _, c := range r.loose {
		if r.answer(c) || r.calculate(c) {
			return
		}
	}
	if len(r.said) > 0 || r.lost {
		r.lost = true
		return
	}
	for i, c := range r.loose {
		if !r.pictures(c) {
			continue
		}
		r.makeImage(c, head{from: c.start})
		r.guess = true
		if task := r.newest(); task != nil {
			for _, more := range r.loose[i+1:] {
				r.amend(task, more)
			}
		}
		return
	}
	r.lost = r.lost || r.loose[0].worldly()
}

// nudges takes a comparative alone for a change of the latest result: darker, a
// bit more dramatic.
func (r *reading) nudges(c *clause) bool {
	if c.to-c.start > 8 || c.asks() || !r.anything(c) && len(r.s.last) == 0 {
		return false
	}
	compares := c.tokens[c.from].is("now") && c.start > c.from && c.to-c.start <= 4 && r.newestKind() == "image" && !c.particular()
	for i := c.start; i < min(c.to, c.start+4); i++ {
		low := c.tokens[i].low
		compares = compares || c.tokens[i].is("more", "less", "too") && i+1 < c.to || len(low) > 4 && strings.HasSuffix(low, "er") && c.has(i, c.to,
			"comparative", "tempo", "better")
	}
	if !compares {
		return false
	}
	switch r.newestKind() {
	case "audio":
		r.redo(c)
	case "video", "image":
		r.edit(c, 0)
		for _, t := range r.tasks {
			if prompt, ok := t.args["prompt"].(string); ok && t.act == "edit" && !strings.HasPrefix(prompt, "make it ") {
				t.args["prompt"] = "make it " + prompt
			}
		}
	default:
		r.redo(c)
	}
	return true
}

// continues reports whether a clause only changes a particular of the last
// request: in 16:9, use krea instead, in a female voice.
func (r *reading) continues(c *clause) bool {
	base := r.base()
	if base == nil || c.asks() || c.to-c.start > 14 {
		return false
	}
	if c.tokens[c.start].is("use", "using", "with") && r.m.names(c, base) {
		return true
	}
	if len(base.media) > 0 && c.to-c.start <= 5 && c.peek("ordinal") != nil {
		return true
	}
	return c.particular() && !c.worldly()
}

// shownAlone lets a picture without words answer a question for one.
func (r *reading) shownAlone(t *text) {
	w := r.s.pending
	if w == nil || len(t.tokens) > 0 || w.argument == "" {
		return
	}
	if refs := r.latest(w.slot, nil); refs != nil {
		r.s.pending = nil
		r.on(w.task.copy(), w.argument, w.slot, refs)
	}
}

// pictures reports whether a clause without a verb describes a picture: a red
// fox in the snow.
func (r *reading) pictures(c *clause) bool {
	n := c.to - c.start
	if n >= 3 && !c.asks() && (c.tokens[c.start].is("a", "an") || c.has(c.start, c.to, "number")) && !c.says("i", "you", "my", "is", "are") {
		return true
	}
	if n < 2 || c.worldly() || c.says("i", "you", "we", "i'm", "i've", "your", "what", "why", "how", "is", "are", "was", "were", "do", "does", "am",
		"my", "he", "she") {
		return false
	}
	if c.tokens[c.start].is("a", "an", "two", "three", "four", "five", "many", "some") || c.tokens[c.start].kind == number {
		return true
	}
	if c.peek("style") != nil && n >= 3 {
		return true
	}
	for i := c.start + 1; i < c.to-1; i++ {
		if c.tokens[i].is("in", "on", "at", "with", "under", "by", "near", "over", "behind", "through", "wearing", "holding") {
			return n >= 4
		}
	}
	return false
}

// worldly reports whether a clause is about the world at large.
func (c *clause) worldly() bool {
	for i := c.from; i < c.to; i++ {
		if c.has(i, c.to, "world") {
			return true
		}
	}
	return c.asks() || c.entry(c.start, c.to, "verb", "learn") != nil
}
