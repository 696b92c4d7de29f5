package offline

// planRestoration plans the repair of a photograph.
func (r *interpretation) planRestoration(c *clause, n int) {
	refs := r.resolveMedia(c, "image")
	if c.peek("damage") == nil && c.mediaNounLength(c.start+n, "video") > 0 {
		r.planVideoEdit(c, r.resolveMedia(c, "video"))
		return
	}
	t := r.newTask("restore_photo", "restore")
	if t == nil {
		return
	}
	r.fillArguments(c, t)
	t.args["prompt"] = c.readInstruction()
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}

// planRefinement plans an improvement.
func (r *interpretation) planRefinement(c *clause, n int) {
	if r.wantsNew(c, n) {
		r.planCreation(c, n)
		return
	}
	kind, refs := r.resolveKind(c, "image", "video", "audio")
	switch {
	case kind == "video" && refs != nil:
		r.planVideoEdit(c, refs)
		return
	case kind == "audio" && refs != nil:
		r.repeatRequest(c)
		return
	case refs == nil && r.changeUnmade(c):
		return
	}
	t := r.newTask("refine_result", "refine")
	if t == nil {
		return
	}
	if v, ok := c.takeScale(); ok {
		t.args["scale"] = nearest([]float64{1, 1.5, 2, 3, 4}, v)
	}
	r.fillArguments(c, t)
	t.args["prompt"] = c.readInstruction()
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}
