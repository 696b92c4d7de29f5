package offline

import (
	"strings"
)

// orbit plans a clip that circles what a picture shows.
func (r *reading) orbit(c *clause, n int) {
	t := r.task("orbit_video", "orbit")
	if t == nil {
		return
	}
	fillOrbit(c, t)
	h := c.head(c.start + n)
	what := ""
	if r.fresh(c, n) || r.latest("image", c) == nil {
		c.take("orbit")
		for _, w := range []string{"of", "around", "a", "showing", "circling"} {
			for i := c.start + n; i < c.to; i++ {
				if c.tokens[i].is(w) && !c.used[i] && i+1 < c.to && what == "" && w != "a" {
					what = c.rest(i+1, c.to)
				}
			}
		}
		if what == "" && h.noun == nil {
			what = c.rest(h.from, c.to)
		}
	}
	low := strings.ToLower(what)
	if what != "" && !strings.HasPrefix(low, "it") && !strings.HasPrefix(low, "this") && !strings.HasPrefix(low, "my ") && (r.latest("image",
		c) == nil || !strings.HasPrefix(low, "the ")) {
		first := r.task("generate_image", "make")
		if first == nil {
			return
		}
		first.args["prompt"] = what
		r.add(first)
		t.about = what
		t.address("sourceImageIndex", ref{of: first})
		r.add(t)
		return
	}
	refs := r.refs(c, "image")
	t.about = labelOf(refs)
	r.on(t, "sourceImageIndex", "image", refs)
}

func fillOrbit(c *clause, t *task) {
	switch {
	case c.says("low"):
		t.args["elevation"] = "low-angle shot"
	case c.says("high"):
		t.args["elevation"] = "high-angle shot"
	case c.says("elevated"):
		t.args["elevation"] = "elevated shot"
	}
	switch {
	case c.says("close", "closeup"):
		t.args["distance"] = "close-up"
	case c.says("wide", "far"):
		t.args["distance"] = "wide shot"
	}
	if q := c.takeQuote(); q != "" && c.says("says", "saying", "say") {
		t.args["dialogue"] = q
	}
}
