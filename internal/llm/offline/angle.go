package offline

// planAngle plans another view.
func (r *interpretation) planAngle(c *clause, n int) {
	if r.wantsNew(c, n) {
		r.planCreation(c, n)
		return
	}
	refs := r.resolveMedia(c, "image")
	if refs == nil && r.changeUnmade(c) {
		return
	}
	t := r.newTask("change_angle", "angle")
	if t == nil {
		return
	}
	r.fillArguments(c, t)
	view := ""
	for i := c.start; i < c.end; i++ {
		if e := c.match(i, c.end, "angle"); e != nil && e.key != "other" {
			view = tidy(c.excerpt(i, i+e.len))
		} else if e != nil && view == "" {
			if view = c.unused(i+e.len, c.end); view == "" {
				view = tidy(c.excerpt(i, i+e.len))
			}
		}
	}
	if view == "" {
		view = c.readInstruction()
	}
	t.args["description"], t.subject = view, view
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}
