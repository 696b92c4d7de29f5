package plan

import (
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

func (r *Interpretation) planAngle(c *token.Clause, _ int) {
	refs := r.resolveMedia(c, "image")
	if refs == nil && r.changeUnmade(c) {
		return
	}
	t := r.newTask("change_angle", "angle")
	if t == nil {
		return
	}
	r.FillArguments(c, t)
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
	t.Args["description"], t.Subject = view, view
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}

// planOrbit plans a clip that circles what a picture shows.
func (r *Interpretation) planOrbit(c *token.Clause, n int) {
	t := r.newTask("orbit_video", "orbit")
	if t == nil {
		return
	}
	fillOrbit(c, t)
	h := slot.FindNounPhrase(c, c.Start+n)
	what := ""
	if r.wantsNew(c, n) || r.ResolveLatest("image", c) == nil {
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
	if what != "" && !strings.HasPrefix(low, "it") && !strings.HasPrefix(low, "this") && !strings.HasPrefix(low, "my ") && (r.ResolveLatest("image",
		c) == nil || !strings.HasPrefix(low, "the ")) {
		first := r.newTask("generate_image", "make")
		if first == nil {
			return
		}
		first.Args["prompt"] = what
		r.addTask(first)
		t.Subject = what
		t.SetMedia("sourceImageIndex", MediaRef{Task: first})
		r.addTask(t)
		return
	}
	refs := r.resolveMedia(c, "image")
	t.Subject = firstLabel(refs)
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}

func fillOrbit(c *token.Clause, t *Task) {
	switch {
	case c.Contains("low"):
		t.Args["elevation"] = "low-angle shot"
	case c.Contains("high"):
		t.Args["elevation"] = "high-angle shot"
	case c.Contains("elevated"):
		t.Args["elevation"] = "elevated shot"
	}
	switch {
	case c.Contains("close", "closeup"):
		t.Args["distance"] = "close-up"
	case c.Contains("wide", "far"):
		t.Args["distance"] = "wide shot"
	}
	if q := c.TakeQuotation(); q != "" && c.Contains("says", "saying", "say") {
		t.Args["dialogue"] = q
	}
}
