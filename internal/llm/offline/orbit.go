package offline

import "strings"

// planOrbit plans a clip that circles what a picture shows.
func (r *interpretation) planOrbit(c *clause, n int) {
	t := r.newTask("orbit_video", "orbit")
	if t == nil {
		return
	}
	fillOrbit(c, t)
	h := c.findNounPhrase(c.start + n)
	what := ""
	if r.wantsNew(c, n) || r.resolveLatest("image", c) == nil {
		c.take("orbit")
		for _, w := range []string{"of", "around", "a", "showing", "circling"} {
			for i := c.start + n; i < c.end; i++ {
				if c.tokens[i].is(w) && !c.used[i] && i+1 < c.end && what == "" && w != "a" {
					what = c.unused(i+1, c.end)
				}
			}
		}
		if what == "" && h.noun == nil {
			what = c.unused(h.start, c.end)
		}
	}
	low := strings.ToLower(what)
	if what != "" && !strings.HasPrefix(low, "it") && !strings.HasPrefix(low, "this") && !strings.HasPrefix(low, "my ") && (r.resolveLatest("image",
		c) == nil || !strings.HasPrefix(low, "the ")) {
		first := r.newTask("generate_image", "make")
		if first == nil {
			return
		}
		first.args["prompt"] = what
		r.addTask(first)
		t.subject = what
		t.setMedia("sourceImageIndex", mediaRef{task: first})
		r.addTask(t)
		return
	}
	refs := r.resolveMedia(c, "image")
	t.subject = firstLabel(refs)
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}

func fillOrbit(c *clause, t *task) {
	switch {
	case c.contains("low"):
		t.args["elevation"] = "low-angle shot"
	case c.contains("high"):
		t.args["elevation"] = "high-angle shot"
	case c.contains("elevated"):
		t.args["elevation"] = "elevated shot"
	}
	switch {
	case c.contains("close", "closeup"):
		t.args["distance"] = "close-up"
	case c.contains("wide", "far"):
		t.args["distance"] = "wide shot"
	}
	if q := c.takeQuotation(); q != "" && c.contains("says", "saying", "say") {
		t.args["dialogue"] = q
	}
}
