package offline

// restore plans the repair of a photograph.
func (r *reading) restore(c *clause, n int) {
	refs := r.refs(c, "image")
	if c.peek("damage") == nil && c.names(c.start+n, "video") > 0 {
		r.remake(c, r.refs(c, "video"))
		return
	}
	t := r.task("restore_photo", "restore")
	if t == nil {
		return
	}
	r.fill(c, t)
	t.args["prompt"] = c.instruction()
	r.on(t, "sourceImageIndex", "image", refs)
}

// refine plans an improvement.
func (r *reading) refine(c *clause, n int) {
	if r.fresh(c, n) {
		r.make(c, n)
		return
	}
	kind, refs := r.pointed(c, "image", "video", "audio")
	switch {
	case kind == "video" && refs != nil:
		r.remake(c, refs)
		return
	case kind == "audio" && refs != nil:
		r.redo(c)
		return
	case refs == nil && r.unmade(c):
		return
	}
	t := r.task("refine_result", "refine")
	if t == nil {
		return
	}
	if v, ok := c.takeFactor(); ok {
		t.args["scale"] = nearest([]float64{1, 1.5, 2, 3, 4}, v)
	}
	r.fill(c, t)
	t.args["prompt"] = c.instruction()
	r.on(t, "sourceImageIndex", "image", refs)
}
