package offline

// planStyle plans another style for a picture or a clip.
func (r *interpretation) planStyle(c *clause, n int) {
	if r.wantsNew(c, n) {
		r.planCreation(c, n)
		return
	}
	kind, refs := r.resolveKind(c, "image", "video")
	if refs == nil && r.changeUnmade(c) {
		return
	}
	if kind == "video" {
		before := len(r.tasks)
		r.planVideoEdit(c, refs)
		for _, t := range r.tasks[before:] {
			if s := c.readStyle(); s != "" && t.args["controlMode"] == nil {
				t.args["prompt"], t.subject = s, s
			}
		}
		return
	}
	t := r.newTask("apply_style", "style")
	if t == nil {
		return
	}
	r.fillArguments(c, t)
	t.args["prompt"] = c.readStyle()
	if t.args["prompt"] == "" {
		r.ask(t, "prompt", "Which style should it have? Watercolour, anime, pencil, oil, pixel art and many others are possible.")
		return
	}
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}

// readStyle is the style that a clause wants: what stands behind into, as or like,
// or the style by name.
func (c *clause) readStyle() string {
	for i := c.start + c.verbLength(); i < c.end; i++ {
		if c.tokens[i].is("into", "as", "like") && i+1 < c.end && i > c.start {
			return c.unused(i+1, c.end)
		}
		if c.tokens[i].is("in", "to") && i+1 < c.end && i > c.start && (c.tokens[i+1].is("the", "a", "an") || c.matches(i+1, c.end, "style")) {
			return trimFirstWords(c.unused(i+1, c.end), "the", "style", "of")
		}
	}
	for i := c.start; i < c.end; i++ {
		if e := c.match(i, c.end, "style"); e != nil && !c.used[i] {
			end := i + e.len
			for end < c.end && (c.matches(end, c.end, "style") || c.tokens[end].is("style", "and", "painting", "drawing", "look")) {
				end++
			}
			return tidy(c.excerpt(i, end))
		}
	}
	at := c.start
	if e := c.match(at, c.end, "verb"); e != nil {
		at += e.len
	}
	return trimFirstWords(c.unused(at, c.end), "the", "a", "an", "style", "of", "it", "this", "to", "picture", "image", "photo", "my")
}
