package offline

import "github.com/atelier-project/atelier/internal/llm/offline/token"

// planAngle plans another view.
func (r *interpretation) planAngle(c *token.Clause, n int) {
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
	for i := c.Start; i < c.End; i++ {
		if e := c.Match(i, c.End, "angle"); e != nil && e.Key != "other" {
			view = token.Tidy(c.Excerpt(i, i+e.Len))
		} else if e != nil && view == "" {
			if view = c.Unused(i+e.Len, c.End); view == "" {
				view = token.Tidy(c.Excerpt(i, i+e.Len))
			}
		}
	}
	if view == "" {
		view = readInstruction(c)
	}
	t.args["description"], t.subject = view, view
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}
