package offline

import (
	"math"
	"strings"
)

// again plans the last request once more, with what the words change.
func (r *reading) again(c *clause, n int) {
	base := r.base()
	if base == nil {
		if r.fresh(c, n) {
			r.make(c, n)
			return
		}
		r.say("There is nothing yet that I could make again. Tell me what you would like to see or hear.")
		return
	}
	h := c.head(c.start + n)
	if h.noun != nil && h.at+h.noun.words < c.to && c.tokens[h.at+h.noun.words].is("of", "about", "showing") && !c.says("variation", "variations",
		"version", "versions") {
		r.make(c, n) // another picture of something else
		return
	}
	r.redo(c)
}

// base is the request that a message speaks of: the last of this one, or of the
// one before.
func (r *reading) base() *task {
	if t := r.newest(); t != nil {
		return t
	}
	for i := len(r.s.last) - 1; i >= 0; i-- {
		if t := r.s.last[i]; t.lyrics == nil || t.makes() != "" {
			return t
		}
	}
	return nil
}

// redo plans the last request again, changed by a clause.
func (r *reading) redo(c *clause) {
	base := r.base()
	if base == nil {
		r.loose = append(r.loose, c)
		r.lost = true
		return
	}
	t := base.copy()
	if n, ok := c.moreOf(); ok {
		t.set("numberOfVariations", t.bounded("numberOfVariations", n, ""))
	} else if !c.says("all", "both", "them") {
		delete(t.args, "numberOfVariations")
	}
	delete(t.args, "seed")
	r.redirect(t, c)
	if other := c.instead(); other != "" && t.args["prompt"] != nil {
		t.args["prompt"], t.about = other, other
	} else {
		r.amend(t, c)
	}
	if base.lyrics != nil { // the words are there already, or are written again
		if words, ok := base.args["lyrics"].(string); ok && words != "" {
			t.lyrics = nil
		} else if again := base.lyrics.copy(); again != nil {
			if e := c.peek("language"); e != nil && again.takes("language") {
				again.args["language"] = strings.TrimPrefix(e.key, "other-")
			}
			r.add(again)
			t.lyrics = again
		}
	}
	for i := range t.media { // what it was made from is on the shelf by now
		for k, one := range t.media[i].refs {
			if one.of != nil && one.of.result != nil {
				t.media[i].refs[k] = ref{item: one.of.result}
			}
		}
	}
	r.add(t)
}

// instead is what a request is made for again: do the same with a dog.
func (c *clause) instead() string {
	for i := c.start; i+2 < c.to; i++ {
		if c.tokens[i].is("same") && c.tokens[i+1].is("with", "for") && c.tokens[i+2].is("a", "an", "two", "three") && c.tokens[c.start].is("do", "make") {
			return c.rest(i+2, c.to)
		}
	}
	return ""
}

// redirect points a task at other media when a clause names some: and the first
// one.
func (r *reading) redirect(t *task, c *clause) {
	for i, u := range t.media {
		a, ok := t.tool.Argument(u.argument)
		if !ok || u.list || u.field != "" {
			continue
		}
		for k := c.start; k < c.to; k++ {
			if refs := r.numbered(c, k, string(a.Media)); len(refs) == 1 {
				t.media[i].refs = refs
				for k := c.start; k < c.to; k++ {
					if c.tokens[k].is("the", "and", "one", "also", "to") || c.names(k, string(a.Media)) > 0 {
						c.use(k, k+1)
					}
				}
				return
			}
		}
	}
}

// moreOf finds how many more are wanted: four more, another three.
func (c *clause) moreOf() (float64, bool) {
	for i := c.start; i < c.to; i++ {
		v, n := c.amount(i, c.to)
		if n == 0 || v < 2 || i+n < c.to && c.has(i+n, c.to, "unit") {
			continue
		}
		if i+n < c.to && c.tokens[i+n].is("more", "others", "versions", "variations", "times", "new") || i > c.start && c.tokens[i-1].is("another") {
			c.use(i, min(c.to, i+n+1))
			return v, true
		}
	}
	return 0, false
}

// amend changes a task by a clause: particulars into arguments, the rest into
// the description.
func (r *reading) amend(t *task, c *clause) {
	before := t.args["prompt"]
	tempo(c, t)
	if e := c.peek("manner"); e != nil && t.takes("voiceDescription") && !c.says("voice", "tone", "accent") {
		how := c.take("manner").one
		t.args["voiceDescription"] = "a voice that sounds " + how
		delete(t.args, "voice")
	}
	r.fill(c, t)
	t.args["prompt"] = before
	if before == nil {
		delete(t.args, "prompt")
	}
	more := c.addition()
	if more == "" || t.args["prompt"] == nil && t.args["description"] == nil {
		return
	}
	if t.tool.Name == "generate_speech" {
		return // what is said stays; only the voice changes
	}
	for _, argument := range []string{"prompt", "description"} {
		if text, ok := t.args[argument].(string); ok && text != "" {
			t.args[argument] = strings.TrimRight(text, ".") + ", " + small(more)
			t.about = t.args[argument].(string)
		}
	}
}

// small writes the first letter of a sentence small when it goes on another.
func small(s string) string {
	if len(s) > 1 && s[0] >= 'A' && s[0] <= 'Z' && s[1] >= 'a' && s[1] <= 'z' && strings.IndexByte(s, ' ') > 0 {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}

// tempo reads slower, faster, longer and shorter.
func tempo(c *clause, t *task) {
	e := c.peek("tempo")
	if e == nil {
		return
	}
	change := func(argument string, by float64) {
		a, ok := t.tool.Argument(argument)
		if !ok {
			return
		}
		v, ok := t.args[argument].(float64)
		if !ok {
			v, ok = a.Default.(float64)
		}
		if !ok {
			return
		}
		c.take("tempo")
		v = math.Round(v * by)
		if a.Min != nil {
			v = max(v, *a.Min)
		}
		if a.Max != nil {
			v = min(v, *a.Max)
		}
		t.args[argument] = v
	}
	switch e.key {
	case "slower":
		change("bpm", 0.8)
	case "faster":
		change("bpm", 1.25)
	case "longer":
		change("duration", 2)
	case "shorter":
		change("duration", 0.5)
	}
}

// addition is what a clause adds to a description, without the words that only
// lead to it.
func (c *clause) addition() string {
	s := c.rest(c.start, c.to)
	for s != "" {
		t := c.known.text(s)
		e := t.entry(0, len(t.tokens), "opening")
		if e == nil {
			break
		}
		if e.words >= len(t.tokens) {
			return ""
		}
		s = tidy(s[t.tokens[e.words].from:])
		if e.key == "with" && s != "" {
			return "with " + s
		}
	}
	for _, end := range []string{" instead", " again", " this time", " more", " please", " as well", " too"} {
		s = strings.TrimSuffix(s, end)
	}
	return tidy(s)
}
