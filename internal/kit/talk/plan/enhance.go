package plan

import (
	"github.com/atelier-project/atelier/internal/kit/talk/intent"
	"github.com/atelier-project/atelier/internal/kit/talk/phrase"
	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

func (r *Interpretation) planRestoration(c *token.Clause, n int) {
	refs := r.resolveMedia(c, "image")
	if c.Peek("damage") == nil && mediaNounLength(c, c.Start+n, "video") > 0 {
		r.planVideoEdit(c, r.resolveMedia(c, "video"))
		return
	}
	r.addInstruction(c, "restore_photo", "restore", refs)
}

func (r *Interpretation) planRefinement(c *token.Clause, _ int) {
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
	if v, ok := slot.TakeScale(c); ok {
		t.Args["scale"] = slot.Nearest([]float64{1, 1.5, 2, 3, 4}, v)
	}
	r.FillArguments(c, t)
	t.Args["prompt"] = readInstruction(c)
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}

// planUpscale plans a larger picture or clip.
func (r *Interpretation) planUpscale(c *token.Clause, n int) {
	if at := c.Start + n; c.Match(c.Start, c.End, "verb", "make", "set") != nil && at < c.End &&
		c.Tokens[at].Is("the", "his", "her", "its", "my") && !beginsMediaName(c, at) {
		r.planEdit(c, n) // a part of the picture should grow, not the picture
		return
	}
	kind, refs := r.resolveKind(c, "image", "video")
	if kind == "video" && refs != nil {
		t := r.newTask("upscale_video", "upscale")
		if t == nil {
			return
		}
		if c.Contains("sharper", "sharp", "crisp") {
			t.Args["detailPreference"] = "sharper"
		}
		if c.Contains("fast", "faster", "quickly") {
			t.Args["processingSpeed"] = "faster"
		}
		r.FillArguments(c, t)
		r.addForMedia(t, "sourceVideoIndex", "video", refs)
		return
	}
	t := r.newTask("upscale_image", "upscale")
	if t == nil {
		return
	}
	if w, h, ok := slot.TakeSize(c); ok {
		t.Args["targetLongestEdge"] = t.clamp("targetLongestEdge", max(w, h), " pixels")
	} else if e, ok := slot.TakeResolution(c); ok {
		t.Args["targetLongestEdge"] = e.Number("long")
	} else if v, ok := slot.TakeScale(c); ok {
		to := slot.Nearest([]float64{2, 3, 4}, v)
		if to != v {
			t.AddNote("Pictures are enlarged 2, 3 or 4 times, so I took " + phrase.FormatNumber(to) + ".")
		}
		t.Args["scale"] = to
	}
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}

// planOutpainting plans a picture or clip that shows more at its sides.
func (r *Interpretation) planOutpainting(c *token.Clause, _ int) {
	kind, refs := r.resolveKind(c, "image", "video")
	if kind == "video" && refs != nil {
		r.planVideoEdit(c, refs)
		return
	}
	r.addInstruction(c, "edit_image", "edit", refs)
}

// addInstruction adds a task that changes pictures by the words of a clause.
func (r *Interpretation) addInstruction(c *token.Clause, tool string, a intent.Act, refs []MediaRef) {
	if t := r.newTask(tool, a); t != nil {
		r.FillArguments(c, t)
		t.Args["prompt"] = readInstruction(c)
		r.addForMedia(t, "sourceImageIndex", "image", refs)
	}
}
