package offline

import (
	"strings"
)

// cutout plans the removal of a background.
func (r *reading) cutout(c *clause) {
	t := r.task("remove_background", "cutout")
	if t == nil {
		return
	}
	if c.says("mask", "matte") {
		t.args["applyMask"] = false
	}
	if url := c.takeLink(); url != "" {
		t.args["source_image_url"] = url
		r.add(t)
		return
	}
	r.on(t, "sourceImageIndex", "image", r.refs(c, "image"))
}

// takeLink finds the first URL.
func (c *clause) takeLink() string {
	for i := c.from; i < c.to; i++ {
		if c.tokens[i].kind == link {
			c.use(i, i+1)
			return c.tokens[i].low
		}
	}
	return ""
}

// selection plans a mask or a cut-out of a thing by name.
func (r *reading) selection(c *clause, n int) {
	refs := r.refs(c, "image")
	url := c.takeLink()
	if refs == nil && url == "" && c.entry(c.start, c.to, "verb", "find") != nil {
		r.lost = true
		r.loose = append(r.loose, c)
		return
	}
	t := r.task("segment_image", "select")
	if t == nil {
		return
	}
	c.takeTails()
	apply := c.entry(c.start, c.to, "verb", "cut") != nil || c.tokens[c.start].is("isolate", "cut", "crop")
	c.use(c.start, c.start+n)
	for i := c.start; i < c.to; i++ {
		switch {
		case c.tokens[i].is("from", "in", "on", "of", "out") && (i+1 >= c.to || c.meantAt(i+1)):
			c.use(i, c.to)
		case c.tokens[i].is("mask", "masks") && i < c.start+n+3:
			c.use(i, i+1)
		}
	}
	what := dropFirst(c.rest(c.start, c.to), "the", "a", "an", "all", "every", "each", "out", "of", "for", "just", "only", "to", "my", "me", "mask")
	switch strings.ToLower(what) {
	case "", "it", "this", "that", "subject", "main subject", "foreground", "background", "him", "her", "them":
		r.cutout(c)
		return
	}
	what = cut(what, 240)
	t.args["text"], t.about = what, what
	if apply {
		t.args["applyMask"] = true
	}
	if url != "" {
		t.args["source_image_url"] = url
		r.add(t)
		return
	}
	r.on(t, "sourceImageIndex", "image", refs)
}

// meantAt reports whether a token begins the name of a picture that is there.
func (c *clause) meantAt(i int) bool {
	if c.tokens[i].is("it", "this", "that", "here") {
		return true
	}
	for k := i; k < min(c.to, i+5); k++ {
		if c.noun(k, c.to) != nil {
			return true
		}
		if !c.has(k, c.to, "det", "adjective", "ordinal", "sent") {
			return false
		}
	}
	return false
}
