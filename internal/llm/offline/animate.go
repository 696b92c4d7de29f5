package offline

import (
	"strings"
)

// animate plans a clip that begins with a picture.
func (r *reading) animate(c *clause, n int) {
	if r.latest("image", c) == nil && len(r.made("image")) == 0 {
		r.animateWords(c, n)
		return
	}
	h := c.head(c.start + n)
	if r.fresh(c, n) && h.noun != nil && h.noun.attr("kind") == "video" && !r.pictured(c, h.at+h.noun.words) {
		r.make(c, n)
		return
	}
	r.animateFrom(c, head{from: c.start + n})
}

// animateFrom plans the clip once it is clear that a picture is meant.
func (r *reading) animateFrom(c *clause, h head) {
	t := r.task("animate_photo", "animate")
	if t == nil {
		return
	}
	refs := r.refs(c, "image")
	c.use(r.named[0], r.named[1])
	r.ending(c, t, &refs)
	r.fill(c, t)
	t.args["prompt"] = c.motion(h)
	text := c.known.text(t.args["prompt"].(string))
	if e := text.entry(0, len(text.tokens), "moving"); e != nil && e.words == len(strings.Fields(text.src)) &&
		!strings.Contains("walk run fly jump blink wave wink nod swim", e.one) {
		t.args["prompt"] = "" // only that it is to move
	}
	if t.args["prompt"] == "" {
		t.args["prompt"] = "gentle, natural motion"
		t.about = "your picture"
		if label := labelOf(refs); label != "" {
			t.args["prompt"] = label + ", gentle natural motion"
			t.about = label
		}
	}
	if len(refs) > 1 {
		if len(refs) > 16 {
			refs = refs[:16]
		}
		t.address("sourceImageIndices", refs...)
		r.add(t)
		return
	}
	r.on(t, "sourceImageIndex", "image", refs)
}

// ending reads a clip from one picture to another.
func (r *reading) ending(c *clause, t *task, refs *[]ref) {
	joined := c.says("to", "into", "between", "and", "morph", "end", "ending", "transition")
	if !joined || !(c.says("morph", "end", "ending", "ends", "transition", "between") || c.says("from") && c.says("to")) {
		return
	}
	pool := r.every(c, "image")
	if len(pool) < 2 {
		for _, it := range r.s.shelf.of("image", true) {
			pool = append(pool, ref{item: it})
		}
	}
	if len(pool) < 2 || len(pool) > 2 && !c.says("first", "second") {
		return
	}
	*refs = pool[:1]
	t.address("endImageIndex", pool[1])
	t.args["frameRole"] = "both"
	for i := c.start; i < c.to; i++ {
		if c.entry(i, i+1, "framing") != nil {
			c.use(i, i+1)
		}
	}
}

// motion is what happens in a clip, once the words that say of what it is made
// have been taken out.
func (c *clause) motion(h head) string {
	c.use(c.start, h.from)
	at := h.from
	if h.noun != nil {
		c.use(h.from, h.at+h.noun.words)
		at = h.at + h.noun.words
	}
	for i := at; i < c.to; i++ { // the picture itself, up to what it does
		tok := c.tokens[i]
		if c.used[i] {
			continue
		}
		e := c.noun(i, c.to)
		switch {
		case e != nil && (e.attr("kind") == "image" || e.attr("kind") == "video"):
			c.use(i, i+e.words)
			i += e.words - 1
		case tok.is("the", "my", "a", "an") && !c.meantAt(i) && !c.counts(i+1):
			return c.rest(i, c.to)
		case tok.kind == mark || c.entry(i, i+1, "source") != nil:
			c.use(i, i+1)
		case c.has(i, c.to, "ordinal", "sent"):
			c.use(i, i+1)
		default:
			return c.rest(at, c.to)
		}
	}
	return c.rest(at, c.to)
}

// counts reports whether a token begins a name of media by its number: one, the
// second.
func (c *clause) counts(i int) bool {
	return i < c.to && (c.tokens[i].is("one", "ones", "short") || c.has(i, c.to, "ordinal", "noun", "sent"))
}

// useOpening takes out names of media and small words up to the first word that
// is neither.
func (c *clause) useOpening(small ...string) {
	for i := c.start; i < c.to; i++ {
		e := c.noun(i, c.to)
		switch {
		case e != nil:
			c.use(i, i+e.words)
		case c.tokens[i].is("a", "an", "the") && !c.used[i] && !c.naming(i+1):
			return
		case c.used[i] || c.tokens[i].is(small...):
			c.use(i, i+1)
		default:
			return
		}
	}
}

// naming reports whether a name of media, a number or something already taken
// follows a few adjectives on.
func (c *clause) naming(i int) bool {
	for k := i; k < min(c.to, i+4); k++ {
		if c.used[k] || c.noun(k, c.to) != nil || c.tokens[k].is("part", "section", "segment", "bit", "seconds", "little", "scene") {
			return true
		}
		if !c.has(k, c.to, "adjective", "ordinal", "number") {
			return false
		}
	}
	return false
}

// labelOf is what the first of some media shows.
func labelOf(refs []ref) string {
	if len(refs) == 0 {
		return ""
	}
	if refs[0].of != nil {
		return refs[0].of.label()
	}
	if refs[0].item.sent() {
		return "" // a file name says little
	}
	return refs[0].item.label
}

// animateWords plans a clip of what is described when there is no picture.
func (r *reading) animateWords(c *clause, n int) {
	h := c.head(c.start + n)
	at := h.from
	if at < c.to && (c.has(at, c.to, "pronoun") || c.tokens[at].is("the", "my", "this", "these")) || h.noun != nil && h.noun.attr("kind") == "image" {
		if t := r.task("animate_photo", "animate"); t != nil {
			r.fill(c, t)
			t.args["prompt"] = c.motion(h)
			if t.args["prompt"] == "" {
				t.args["prompt"] = "gentle, natural motion"
			}
			r.ask(t, "image", r.m.phrases.lacking("animate_photo", "image"))
		}
		return
	}
	r.makeVideo(c, h)
}
