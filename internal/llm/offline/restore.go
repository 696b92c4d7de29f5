package offline

import (
	"github.com/atelier-project/atelier/internal/llm/offline/slot"
	"github.com/atelier-project/atelier/internal/llm/offline/token"
)

// planRestoration plans the repair of a photograph.
func (r *interpretation) planRestoration(c *token.Clause, n int) {
	refs := r.resolveMedia(c, "image")
	if c.Peek("damage") == nil && mediaNounLength(c, c.Start+n, "video") > 0 {
		r.planVideoEdit(c, r.resolveMedia(c, "video"))
		return
	}
	t := r.newTask("restore_photo", "restore")
	if t == nil {
		return
	}
	r.fillArguments(c, t)
	t.args["prompt"] = readInstruction(c)
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}

// planRefinement plans an improvement.
func (r *interpretation) planRefinement(c *token.Clause, n int) {
	if r.wantsNew(c, n) {
		r.planCreation(c, n)
		return
	}
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
		t.args["scale"] = slot.Nearest([]float64{1, 1.5, 2, 3, 4}, v)
	}
	r.fillArguments(c, t)
	t.args["prompt"] = readInstruction(c)
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}
