package offline

// upscale plans a larger picture or clip.
func (r *reading) upscale(c *clause, n int) {
	if r.fresh(c, n) {
		r.make(c, n)
		return
	}
	if at := c.start + n; c.entry(c.start, c.to, "verb", "make", "set") != nil && at < c.to && c.tokens[at].is("the", "his", "her", "its", "my") && !c.meantAt(at) {
		r.edit(c, n) // a part of the picture is to grow, not the picture
		return
	}
	kind, refs := r.pointed(c, "image", "video")
	if kind == "video" && refs != nil {
		t := r.task("upscale_video", "upscale")
		if t == nil {
			return
		}
		if c.says("sharper", "sharp", "crisp") {
			t.args["detailPreference"] = "sharper"
		}
		if c.says("fast", "faster", "quickly") {
			t.args["processingSpeed"] = "faster"
		}
		r.fill(c, t)
		r.on(t, "sourceVideoIndex", "video", refs)
		return
	}
	t := r.task("upscale_image", "upscale")
	if t == nil {
		return
	}
	if w, h, ok := c.takeSize(); ok {
		t.args["targetLongestEdge"] = t.bounded("targetLongestEdge", max(w, h), " pixels")
	} else if e, ok := c.takeDefinition(); ok {
		t.args["targetLongestEdge"] = e.number("long")
	} else if v, ok := c.takeFactor(); ok {
		to := nearest([]float64{2, 3, 4}, v)
		if to != v {
			t.note("Pictures are enlarged 2, 3 or 4 times, so I took " + plain(to) + ".")
		}
		t.args["scale"] = to
	}
	r.on(t, "sourceImageIndex", "image", refs)
}

// expand plans a picture or clip that shows more at its sides.
func (r *reading) expand(c *clause, n int) {
	kind, refs := r.pointed(c, "image", "video")
	if kind == "video" && refs != nil {
		r.remake(c, refs)
		return
	}
	t := r.task("edit_image", "edit")
	if t == nil {
		return
	}
	r.fill(c, t)
	t.args["prompt"] = c.instruction()
	r.on(t, "sourceImageIndex", "image", refs)
}
