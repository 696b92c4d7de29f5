package offline

import (
	"github.com/atelier-project/atelier/internal/llm/offline/phrase"
	"github.com/atelier-project/atelier/internal/llm/offline/slot"
	"github.com/atelier-project/atelier/internal/llm/offline/token"
)

// planUpscale plans a larger picture or clip.
func (r *interpretation) planUpscale(c *token.Clause, n int) {
	if r.wantsNew(c, n) {
		r.planCreation(c, n)
		return
	}
	if at := c.Start + n; c.Match(c.Start, c.End, "verb", "make", "set") != nil && at < c.End && c.Tokens[at].Is("the", "his", "her", "its", "my") && !beginsMediaName(c, at) {
		r.planEdit(c, n) // a part of the picture is to grow, not the picture
		return
	}
	kind, refs := r.resolveKind(c, "image", "video")
	if kind == "video" && refs != nil {
		t := r.newTask("upscale_video", "upscale")
		if t == nil {
			return
		}
		if c.Contains("sharper", "sharp", "crisp") {
			t.args["detailPreference"] = "sharper"
		}
		if c.Contains("fast", "faster", "quickly") {
			t.args["processingSpeed"] = "faster"
		}
		r.fillArguments(c, t)
		r.addForMedia(t, "sourceVideoIndex", "video", refs)
		return
	}
	t := r.newTask("upscale_image", "upscale")
	if t == nil {
		return
	}
	if w, h, ok := slot.TakeSize(c); ok {
		t.args["targetLongestEdge"] = t.clamp("targetLongestEdge", max(w, h), " pixels")
	} else if e, ok := slot.TakeResolution(c); ok {
		t.args["targetLongestEdge"] = e.Number("long")
	} else if v, ok := slot.TakeScale(c); ok {
		to := slot.Nearest([]float64{2, 3, 4}, v)
		if to != v {
			t.addNote("Pictures are enlarged 2, 3 or 4 times, so I took " + phrase.FormatNumber(to) + ".")
		}
		t.args["scale"] = to
	}
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}

// planOutpainting plans a picture or clip that shows more at its sides.
func (r *interpretation) planOutpainting(c *token.Clause, n int) {
	kind, refs := r.resolveKind(c, "image", "video")
	if kind == "video" && refs != nil {
		r.planVideoEdit(c, refs)
		return
	}
	t := r.newTask("edit_image", "edit")
	if t == nil {
		return
	}
	r.fillArguments(c, t)
	t.args["prompt"] = readInstruction(c)
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}
