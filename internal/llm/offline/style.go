package offline

// style plans another style for a picture or a clip.
func (r *reading) style(c *clause, n int) {
	if r.fresh(c, n) {
		r.make(c, n)
		return
	}
	kind, refs := r.pointed(c, "image", "video")
	if refs == nil && r.unmade(c) {
		return
	}
	if kind == "video" {
		before := len(r.tasks)
		r.remake(c, refs)
		for _, t := range r.tasks[before:] {
			if s := c.manner(); s != "" && t.args["controlMode"] == nil {
				t.args["prompt"], t.about = s, s
			}
		}
		return
	}
	t := r.task("apply_style", "style")
	if t == nil {
		return
	}
	r.fill(c, t)
	t.args["prompt"] = c.manner()
	if t.args["prompt"] == "" {
		r.ask(t, "prompt", "Which style should it have? Watercolour, anime, pencil, oil, pixel art and many others are possible.")
		return
	}
	r.on(t, "sourceImageIndex", "image", refs)
}

// manner is the style that a clause wants: what stands behind into, as or like,
// or the style by name.
func (c *clause) manner() string {
	for i := c.start + c.verb(); i < c.to; i++ {
		if c.tokens[i].is("into", "as", "like") && i+1 < c.to && i > c.start {
			return c.rest(i+1, c.to)
		}
		if c.tokens[i].is("in", "to") && i+1 < c.to && i > c.start && (c.tokens[i+1].is("the", "a", "an") || c.has(i+1, c.to, "style")) {
			return dropFirst(c.rest(i+1, c.to), "the", "style", "of")
		}
	}
	for i := c.start; i < c.to; i++ {
		if e := c.entry(i, c.to, "style"); e != nil && !c.used[i] {
			end := i + e.words
			for end < c.to && (c.has(end, c.to, "style") || c.tokens[end].is("style", "and", "painting", "drawing", "look")) {
				end++
			}
			return tidy(c.words(i, end))
		}
	}
	at := c.start
	if e := c.entry(at, c.to, "verb"); e != nil {
		at += e.words
	}
	return dropFirst(c.rest(at, c.to), "the", "a", "an", "style", "of", "it", "this", "to", "picture", "image", "photo", "my")
}
