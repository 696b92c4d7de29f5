package offline

// planUpscale plans a larger picture or clip.
func (r *interpretation) planUpscale(c *clause, n int) {
	if r.wantsNew(c, n) {
		r.planCreation(c, n)
		return
	}
	if at := c.start + n; c.match(c.start, c.end, "verb", "make", "set") != nil && at < c.end && c.tokens[at].is("the", "his", "her", "its", "my") && !c.beginsMediaName(at) {
		r.planEdit(c, n) // a part of the picture is to grow, not the picture
		return
	}
	kind, refs := r.resolveKind(c, "image", "video")
	if kind == "video" && refs != nil {
		t := r.newTask("upscale_video", "upscale")
		if t == nil {
			return
		}
		if c.contains("sharper", "sharp", "crisp") {
			t.args["detailPreference"] = "sharper"
		}
		if c.contains("fast", "faster", "quickly") {
			t.args["processingSpeed"] = "faster"
		}
		r.fillArguments(c, t)
		r.addForMedia(t, "sourceVideoIndex", "video", refs)
		return
	}
	t := r.newTask("upscale_image", "upscale")
	if t == nil {
		return
	}
	if w, h, ok := c.takeSize(); ok {
		t.args["targetLongestEdge"] = t.clamp("targetLongestEdge", max(w, h), " pixels")
	} else if e, ok := c.takeResolution(); ok {
		t.args["targetLongestEdge"] = e.number("long")
	} else if v, ok := c.takeScale(); ok {
		to := nearest([]float64{2, 3, 4}, v)
		if to != v {
			t.addNote("Pictures are enlarged 2, 3 or 4 times, so I took " + formatNumber(to) + ".")
		}
		t.args["scale"] = to
	}
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}

// planOutpainting plans a picture or clip that shows more at its sides.
func (r *interpretation) planOutpainting(c *clause, n int) {
	kind, refs := r.resolveKind(c, "image", "video")
	if kind == "video" && refs != nil {
		r.planVideoEdit(c, refs)
		return
	}
	t := r.newTask("edit_image", "edit")
	if t == nil {
		return
	}
	r.fillArguments(c, t)
	t.args["prompt"] = c.readInstruction()
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}
