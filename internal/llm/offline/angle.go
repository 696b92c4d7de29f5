package offline

// angle plans another view.
func (r *reading) angle(c *clause, n int) {
	if r.fresh(c, n) {
		r.make(c, n)
		return
	}
	refs := r.refs(c, "image")
	if refs == nil && r.unmade(c) {
		return
	}
	t := r.task("change_angle", "angle")
	if t == nil {
		return
	}
	r.fill(c, t)
	view := ""
	for i := c.start; i < c.to; i++ {
		if e := c.entry(i, c.to, "angle"); e != nil && e.key != "other" {
			view = tidy(c.words(i, i+e.words))
		} else if e != nil && view == "" {
			if view = c.rest(i+e.words, c.to); view == "" {
				view = tidy(c.words(i, i+e.words))
			}
		}
	}
	if view == "" {
		view = c.instruction()
	}
	t.args["description"], t.about = view, view
	r.on(t, "sourceImageIndex", "image", refs)
}
