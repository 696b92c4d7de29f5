package offline

import "strings"

// planCutout plans the removal of a background.
func (r *interpretation) planCutout(c *clause) {
	t := r.newTask("remove_background", "cutout")
	if t == nil {
		return
	}
	if c.contains("mask", "matte") {
		t.args["applyMask"] = false
	}
	if url := c.takeURL(); url != "" {
		t.args["source_image_url"] = url
		r.addTask(t)
		return
	}
	r.addForMedia(t, "sourceImageIndex", "image", r.resolveMedia(c, "image"))
}

// takeURL finds the first URL.
func (c *clause) takeURL() string {
	for i := c.lead; i < c.end; i++ {
		if c.tokens[i].kind == webURL {
			c.use(i, i+1)
			return c.tokens[i].text
		}
	}
	return ""
}

// planSegmentation plans a mask or a cut-out of a thing by name.
func (r *interpretation) planSegmentation(c *clause, n int) {
	refs := r.resolveMedia(c, "image")
	url := c.takeURL()
	if refs == nil && url == "" && c.match(c.start, c.end, "verb", "find") != nil {
		r.notUnderstood = true
		r.unresolved = append(r.unresolved, c)
		return
	}
	t := r.newTask("segment_image", "select")
	if t == nil {
		return
	}
	c.useClosing()
	apply := c.match(c.start, c.end, "verb", "cut") != nil || c.tokens[c.start].is("isolate", "cut", "crop")
	c.use(c.start, c.start+n)
	for i := c.start; i < c.end; i++ {
		switch {
		case c.tokens[i].is("from", "in", "on", "of", "out") && (i+1 >= c.end || c.beginsMediaName(i+1)):
			c.use(i, c.end)
		case c.tokens[i].is("mask", "masks") && i < c.start+n+3:
			c.use(i, i+1)
		}
	}
	what := trimFirstWords(c.unused(c.start, c.end), "the", "a", "an", "all", "every", "each", "out", "of", "for", "just", "only", "to", "my", "me", "mask")
	switch strings.ToLower(what) {
	case "", "it", "this", "that", "subject", "main subject", "foreground", "background", "him", "her", "them":
		r.planCutout(c)
		return
	}
	what = truncate(what, 240)
	t.args["text"], t.subject = what, what
	if apply {
		t.args["applyMask"] = true
	}
	if url != "" {
		t.args["source_image_url"] = url
		r.addTask(t)
		return
	}
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}

// beginsMediaName reports whether a token begins the name of a picture that is there.
func (c *clause) beginsMediaName(i int) bool {
	if c.tokens[i].is("it", "this", "that", "here") {
		return true
	}
	for k := i; k < min(c.end, i+5); k++ {
		if c.matchNoun(k, c.end) != nil {
			return true
		}
		if !c.matches(k, c.end, "det", "adjective", "ordinal", "sent") {
			return false
		}
	}
	return false
}
