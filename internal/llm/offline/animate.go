package offline

import "strings"

// planAnimation plans a clip that begins with a picture.
func (r *interpretation) planAnimation(c *clause, n int) {
	if r.resolveLatest("image", c) == nil && len(r.tasksMaking("image")) == 0 {
		r.animateDescription(c, n)
		return
	}
	h := c.findNounPhrase(c.start + n)
	if r.wantsNew(c, n) && h.noun != nil && h.noun.attr("kind") == "video" && !r.usesPicture(c, h.nounAt+h.noun.len) {
		r.planCreation(c, n)
		return
	}
	r.animatePicture(c, nounPhrase{start: c.start + n})
}

// animatePicture plans the clip once it is clear that a picture is meant.
func (r *interpretation) animatePicture(c *clause, h nounPhrase) {
	t := r.newTask("animate_photo", "animate")
	if t == nil {
		return
	}
	refs := r.resolveMedia(c, "image")
	c.use(r.labelTokens[0], r.labelTokens[1])
	r.fillEndImage(c, t, &refs)
	r.fillArguments(c, t)
	t.args["prompt"] = c.readMotion(h)
	text := c.lexicon.parse(t.args["prompt"].(string))
	if e := text.match(0, len(text.tokens), "moving"); e != nil && e.len == len(strings.Fields(text.source)) &&
		!strings.Contains("walk run fly jump blink wave wink nod swim", e.base) {
		t.args["prompt"] = "" // only that it is to move
	}
	if t.args["prompt"] == "" {
		t.args["prompt"] = "gentle, natural motion"
		t.subject = "your picture"
		if label := firstLabel(refs); label != "" {
			t.args["prompt"] = label + ", gentle natural motion"
			t.subject = label
		}
	}
	if len(refs) > 1 {
		if len(refs) > 16 {
			refs = refs[:16]
		}
		t.setMedia("sourceImageIndices", refs...)
		r.addTask(t)
		return
	}
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}

// fillEndImage reads a clip from one picture to another.
func (r *interpretation) fillEndImage(c *clause, t *task, refs *[]mediaRef) {
	joined := c.contains("to", "into", "between", "and", "morph", "end", "ending", "transition")
	if !joined || !(c.contains("morph", "end", "ending", "ends", "transition", "between") || c.contains("from") && c.contains("to")) {
		return
	}
	pool := r.resolveAll(c, "image")
	if len(pool) < 2 {
		for _, it := range r.state.media.filter("image", true) {
			pool = append(pool, mediaRef{item: it})
		}
	}
	if len(pool) < 2 || len(pool) > 2 && !c.contains("first", "second") {
		return
	}
	*refs = pool[:1]
	t.setMedia("endImageIndex", pool[1])
	t.args["frameRole"] = "both"
	for i := c.start; i < c.end; i++ {
		if c.match(i, i+1, "framing") != nil {
			c.use(i, i+1)
		}
	}
}

// readMotion is what happens in a clip, once the words that say of what it is made
// have been taken out.
func (c *clause) readMotion(h nounPhrase) string {
	c.use(c.start, h.start)
	at := h.start
	if h.noun != nil {
		c.use(h.start, h.nounAt+h.noun.len)
		at = h.nounAt + h.noun.len
	}
	for i := at; i < c.end; i++ { // the picture itself, up to what it does
		tok := c.tokens[i]
		if c.used[i] {
			continue
		}
		e := c.matchNoun(i, c.end)
		switch {
		case e != nil && (e.attr("kind") == "image" || e.attr("kind") == "video"):
			c.use(i, i+e.len)
			i += e.len - 1
		case tok.is("the", "my", "a", "an") && !c.beginsMediaName(i) && !c.startsOrdinal(i+1):
			return c.unused(i, c.end)
		case tok.kind == punct || c.match(i, i+1, "source") != nil:
			c.use(i, i+1)
		case c.matches(i, c.end, "ordinal", "sent"):
			c.use(i, i+1)
		default:
			return c.unused(at, c.end)
		}
	}
	return c.unused(at, c.end)
}

// startsOrdinal reports whether a token begins a name of media by its number: one, the
// second.
func (c *clause) startsOrdinal(i int) bool {
	return i < c.end && (c.tokens[i].is("one", "ones", "short") || c.matches(i, c.end, "ordinal", "noun", "sent"))
}

// useLeadIn takes out names of media and small words up to the first word that
// is neither.
func (c *clause) useLeadIn(small ...string) {
	for i := c.start; i < c.end; i++ {
		e := c.matchNoun(i, c.end)
		switch {
		case e != nil:
			c.use(i, i+e.len)
		case c.tokens[i].is("a", "an", "the") && !c.used[i] && !c.namesMediaSoon(i+1):
			return
		case c.used[i] || c.tokens[i].is(small...):
			c.use(i, i+1)
		default:
			return
		}
	}
}

// namesMediaSoon reports whether a name of media, a number or something already taken
// follows a few adjectives on.
func (c *clause) namesMediaSoon(i int) bool {
	for k := i; k < min(c.end, i+4); k++ {
		if c.used[k] || c.matchNoun(k, c.end) != nil || c.tokens[k].is("part", "section", "segment", "bit", "seconds", "little", "scene") {
			return true
		}
		if !c.matches(k, c.end, "adjective", "ordinal", "number") {
			return false
		}
	}
	return false
}

// firstLabel is what the first of some media shows.
func firstLabel(refs []mediaRef) string {
	if len(refs) == 0 {
		return ""
	}
	if refs[0].task != nil {
		return refs[0].task.label()
	}
	if refs[0].item.isUpload() {
		return "" // a file name says little
	}
	return refs[0].item.label
}

// animateDescription plans a clip of what is described when there is no picture.
func (r *interpretation) animateDescription(c *clause, n int) {
	h := c.findNounPhrase(c.start + n)
	at := h.start
	if at < c.end && (c.matches(at, c.end, "pronoun") || c.tokens[at].is("the", "my", "this", "these")) || h.noun != nil && h.noun.attr("kind") == "image" {
		if t := r.newTask("animate_photo", "animate"); t != nil {
			r.fillArguments(c, t)
			t.args["prompt"] = c.readMotion(h)
			if t.args["prompt"] == "" {
				t.args["prompt"] = "gentle, natural motion"
			}
			r.ask(t, "image", r.planner.templates.askForMedia("animate_photo", "image"))
		}
		return
	}
	r.planVideo(c, h)
}
