package offline

import (
	"strings"

	"github.com/atelier-project/atelier/internal/llm/offline/slot"
	"github.com/atelier-project/atelier/internal/llm/offline/token"
)

// planOrbit plans a clip that circles what a picture shows.
func (r *interpretation) planOrbit(c *token.Clause, n int) {
	t := r.newTask("orbit_video", "orbit")
	if t == nil {
		return
	}
	fillOrbit(c, t)
	h := slot.FindNounPhrase(c, c.Start+n)
	what := ""
	if r.wantsNew(c, n) || r.resolveLatest("image", c) == nil {
		c.Take("orbit")
		for _, w := range []string{"of", "around", "a", "showing", "circling"} {
			for i := c.Start + n; i < c.End; i++ {
				if c.Tokens[i].Is(w) && !c.Used[i] && i+1 < c.End && what == "" && w != "a" {
					what = c.Unused(i+1, c.End)
				}
			}
		}
		if what == "" && h.Noun == nil {
			what = c.Unused(h.Start, c.End)
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

func fillOrbit(c *token.Clause, t *task) {
	switch {
	case c.Contains("low"):
		t.args["elevation"] = "low-angle shot"
	case c.Contains("high"):
		t.args["elevation"] = "high-angle shot"
	case c.Contains("elevated"):
		t.args["elevation"] = "elevated shot"
	}
	switch {
	case c.Contains("close", "closeup"):
		t.args["distance"] = "close-up"
	case c.Contains("wide", "far"):
		t.args["distance"] = "wide shot"
	}
	if q := c.TakeQuotation(); q != "" && c.Contains("says", "saying", "say") {
		t.args["dialogue"] = q
	}
}
