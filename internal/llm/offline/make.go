package offline

import "strings"

// make plans something new: a picture, a clip, music, a song, speech or a 3D
// model. What turns out to be about media that is there already is an edit.
func (r *reading) make(c *clause, n int) {
	verb := c.entry(c.start, c.to, "verb")
	if e := c.noun(c.start, c.to); e != nil && c.start+e.words < c.to && c.tokens[c.start+e.words].is("of", "showing") {
		verb, n = nil, 0 // a sketch of …, rather than to sketch
	}
	h := c.head(c.start + n)
	if e := c.undoable(c.start, h); e != nil {
		r.undoable(e)
		return
	}
	kind := ""
	if verb != nil {
		kind = verb.attr("kind")
	}
	if h.noun != nil {
		kind = h.noun.attr("kind")
		if of := h.noun.attr("of"); of != "" {
			kind = of
		}
	}
	wish := c.entry(c.start, c.to, "wish") != nil && h.noun == nil
	if wish && r.answer(c) {
		return
	}
	if h.noun == nil && r.refers(c, h.from) {
		r.edit(c, n)
		return
	}
	switch kind {
	case "video":
		r.makeVideo(c, h)
	case "music", "audio":
		if c.says("saying", "says", "reading", "speaking") && c.quotes() > 0 {
			r.speak(c, n)
		} else if c.peek("vocal", "some") != nil {
			r.makeSong(c, h)
		} else {
			r.makeMusic(c, h)
		}
	case "song":
		r.makeSong(c, h)
	case "speech":
		r.speak(c, n)
	case "model":
		r.makeSolid(c, h)
	default:
		r.makeImage(c, h)
	}
}

// refers reports whether what stands at a token is media that is there: it,
// him, the sky, when there is something to have a sky.
func (r *reading) refers(c *clause, i int) bool {
	if i >= c.to {
		return false
	}
	if i+1 < c.to && c.tokens[i].is("me", "us") && c.tokens[i+1].is("look", "smile", "into", "younger", "older", "wear", "hold", "fly", "sit", "stand",
		"laugh", "taller", "thinner") {
		return r.anything(c) // make me look like …
	}
	if c.has(i, c.to, "pronoun") && !c.tokens[i].is("me", "all", "each") {
		e := c.entry(i, c.to, "pronoun")
		next := i + e.words
		if c.tokens[i].is("this", "that", "these", "those", "her") && next < c.to && c.tokens[next].kind == word && !c.has(next, c.to, "prep", "adjective", "style") {
			return r.anything(c)
		}
		return true
	}
	if c.tokens[i].is("the", "my", "his", "its", "their", "our", "this", "that") {
		return r.anything(c)
	}
	return false
}

// anything reports whether there is media to work on.
func (r *reading) anything(c *clause) bool {
	for _, kind := range []string{"image", "video", "audio", "model"} {
		if r.latest(kind, c) != nil {
			return true
		}
	}
	return false
}

// makeImage plans pictures.
func (r *reading) makeImage(c *clause, h head) {
	if r.fromSent(c, h) {
		return
	}
	t := r.task("generate_image", "make")
	if t == nil {
		return
	}
	transparent := c.takeTransparent()
	r.startFrom(c, t)
	r.fill(c, t)
	t.counted(h)
	parts := c.enumerated(h)
	wild := c.peek("wild")
	prompt := c.describe(h)
	if wild != nil && strings.Count(prompt, " ") <= wild.words {
		prompt = r.m.phrases.idea(c.src)
	}
	if parts != nil {
		for _, p := range parts {
			one := t.copy()
			one.args["prompt"], one.about = p, p
			delete(one.args, "numberOfVariations")
			r.picture(one, transparent)
		}
		return
	}
	if c.follows(prompt) {
		prompt = ""
	}
	t.args["prompt"] = prompt
	if prompt == "" {
		r.need(t, "prompt", "What should the picture show?")
		return
	}
	r.picture(t, transparent)
}

// picture plans a picture, and what makes its background transparent where the
// model cannot do that itself.
func (r *reading) picture(t *task, transparent bool) {
	r.add(t)
	if !transparent {
		return
	}
	if model, _ := t.args["model"].(string); strings.HasPrefix(model, "gpt-image") {
		t.args["gptImageBackground"] = "transparent"
		return
	}
	for i := range t.count() {
		if cut := r.task("remove_background", "cutout"); cut != nil {
			cut.about = t.about
			cut.address("sourceImageIndex", ref{of: t, nth: i})
			r.add(cut)
		}
	}
}

// takeTransparent finds the wish for a transparent background.
func (c *clause) takeTransparent() bool {
	for i := c.start; i+1 < c.to; i++ {
		if c.tokens[i].is("transparent") && c.tokens[i+1].is("background", "png", "backdrop") {
			c.use(i, i+2)
			c.absorb(i, "on", "with", "a", "an", "and", "the", "as", "in", "has", "have")
			return true
		}
	}
	return false
}

// counted sets how many are wanted.
func (t *task) counted(h head) {
	if h.count > 1 {
		t.set("numberOfVariations", t.bounded("numberOfVariations", float64(h.count), ""))
	}
}

// enumerated are the pictures of a list that is as long as the number asked
// for: three pictures: a fox, a bear and an owl.
func (c *clause) enumerated(h head) []string {
	if h.count < 2 || h.noun == nil {
		return nil
	}
	at := h.at + h.noun.words
	if at >= c.to || !c.tokens[at].is(":") {
		return nil
	}
	var parts []string
	for _, piece := range strings.Split(c.src[c.tokens[at].to:c.tokens[c.to-1].to], ",") {
		for _, one := range splitWords(piece, "and") {
			if one = tidy(one); one != "" {
				parts = append(parts, one)
			}
		}
	}
	if len(parts) != h.count {
		return nil
	}
	return parts
}

// follows reports whether a description only says that a list comes.
func (c *clause) follows(prompt string) bool {
	if prompt == "" {
		return true
	}
	t := c.known.text(prompt)
	e := t.entry(0, len(t.tokens), "follows")
	return e != nil && len(t.tokens)-e.words <= 1
}

// makeVideo plans a clip: from words, or from a picture that is meant.
func (r *reading) makeVideo(c *clause, h head) {
	if h.noun != nil && r.pictured(c, h.at+h.noun.words) {
		r.animateFrom(c, h)
		return
	}
	t := r.task("generate_video", "make")
	if t == nil {
		return
	}
	r.references(c, t)
	r.fill(c, t)
	t.counted(h)
	wild := c.peek("wild")
	prompt := c.describe(h)
	if wild != nil && strings.Count(prompt, " ") <= wild.words {
		prompt = r.m.phrases.idea(c.src)
	}
	if c.follows(prompt) {
		prompt = ""
	}
	t.args["prompt"] = prompt
	r.need(t, "prompt", "What should happen in the clip?")
}

// pictured reports whether a clip is to be made of a picture: of my photo, of
// this, of him.
func (r *reading) pictured(c *clause, at int) bool {
	for i := at; i < min(c.to, at+4); i++ {
		if !c.tokens[i].is("of", "from", "with", "using", "out", "based", "on") {
			continue
		}
		next := i + 1
		if next >= c.to || r.latest("image", c) == nil {
			return false
		}
		if c.tokens[next].is("it", "this", "him", "them", "these", "both") || c.tokens[next].is("my", "this", "that", "the", "these") && r.mine(c, next) {
			return true
		}
	}
	return false
}

// mine reports whether a noun phrase can be a picture that is there: it names
// media, or it is what somebody sent just now, or it is on the shelf by name.
func (r *reading) mine(c *clause, i int) bool {
	for k := i; k < min(c.to, i+5); k++ {
		if e := c.noun(k, c.to); e != nil && e.attr("kind") == "image" {
			return true
		}
	}
	if c.tokens[i].is("my", "this", "that") && r.attached("image") > 0 {
		return true
	}
	return r.labelled(c, i, "image") != nil
}

// fromSent plans a change of the picture that came with the message, when the
// words are about what it shows: my dog on the moon.
func (r *reading) fromSent(c *clause, h head) bool {
	if r.attached("image") == 0 {
		return false
	}
	for i := h.from; i < c.to; i++ {
		tok := c.tokens[i]
		if tok.is("my", "this", "me", "him", "it", "attached", "uploaded") && !(tok.is("me") && i == h.from) || tok.is("her") {
			if h.noun == nil || i > h.at {
				t := r.task("edit_image", "edit")
				if t == nil {
					return true
				}
				refs := r.refs(c, "image")
				r.fill(c, t)
				t.counted(h)
				t.args["prompt"] = c.describe(h)
				r.on(t, "sourceImageIndex", "image", refs)
				return true
			}
		}
	}
	return false
}

// startFrom makes a picture start from one that is there: based on the second
// one, starting from my sketch.
func (r *reading) startFrom(c *clause, t *task) {
	for i := c.start; i+1 < c.to; i++ {
		n := 0
		switch {
		case c.tokens[i].is("based", "building") && c.tokens[i+1].is("on"):
			n = 2
		case c.tokens[i].is("starting", "start", "made", "created") && c.tokens[i+1].is("from", "with"):
			n = 2
		case c.tokens[i].is("similar") && c.tokens[i+1].is("to"):
			n = 2
		case c.tokens[i].is("from", "like", "using") && c.tokens[i+1].is("my", "this", "that", "the"):
			n = 1
		default:
			continue
		}
		end := i + n
		for end < c.to && end < i+n+5 && c.noun(end, c.to) == nil && !c.has(end, c.to, "pronoun") {
			end++
		}
		if end >= c.to || r.latest("image", c) == nil {
			continue
		}
		if e := c.noun(end, c.to); e != nil && e.attr("kind") != "image" {
			continue
		}
		refs := r.refs(c, "image")
		if len(refs) != 1 {
			continue
		}
		step := 1
		if e := c.noun(end, c.to); e != nil {
			step = e.words
		}
		t.address("sourceImageIndex", refs...)
		c.use(i, end+step)
		return
	}
}
