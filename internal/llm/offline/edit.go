package offline

import (
	"github.com/atelier-project/atelier/internal/llm/offline/slot"
	"github.com/atelier-project/atelier/internal/llm/offline/token"
)

// wantsNew reports whether a clause wants something new, although its words also
// fit a change of what is there: draw a castle from above.
func (r *interpretation) wantsNew(c *token.Clause, n int) bool {
	if c.Match(c.Start, c.End, "verb", "make", "draw", "film", "compose", "sing", "write") == nil && c.Match(c.Start, c.End, "wish") == nil {
		return false
	}
	h := slot.FindNounPhrase(c, c.Start+n)
	if h.Start >= c.End || r.refersToMedia(c, h.Start) || c.Tokens[h.Start].Is("it", "me", "him", "them") {
		return false
	}
	if h.Noun != nil && refersToExisting(c, h.NounAt) {
		return false
	}
	return !c.Tokens[h.Start].Is("my", "this", "that") || !r.canBePicture(c, h.Start)
}

// readInstruction is what a clause wants changed, in its own words.
func readInstruction(c *token.Clause) string { return c.Unused(c.Start, c.End) }

// planEdit plans a change by instruction of whatever is meant.
func (r *interpretation) planEdit(c *token.Clause, n int) {
	if e := findUnsupported(c, c.Start, slot.NounPhrase{Start: c.Start + n}); e != nil && !r.hasMedia(c) {
		r.refuse(e)
		return
	}
	kind, refs := r.resolveKind(c, "image", "video", "audio", "model")
	switch kind {
	case "video":
		r.planVideoEdit(c, refs)
		return
	case "audio":
		r.repeatRequest(c)
		return
	case "model":
		r.say("A 3D model cannot be edited here. I can make it again from a changed picture: tell me what to change in that.")
		return
	}
	if refs == nil && r.changeUnmade(c) {
		return
	}
	if refs != nil && slot.HasDuration(c) {
		r.animatePicture(c, slot.NounPhrase{Start: c.Start + n}) // what takes seconds is a clip
		return
	}
	t := r.newTask("edit_image", "edit")
	if t == nil {
		return
	}
	r.fillArguments(c, t)
	useLocation(c)
	t.args["prompt"] = readInstruction(c)
	if t.args["prompt"] == "" { // only particulars: the same again with them
		r.repeatRequest(c)
		return
	}
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}

// changeUnmade handles a change of something that is not there: of what was asked for
// and not made yet, or of nothing.
func (r *interpretation) changeUnmade(c *token.Clause) bool {
	if len(r.state.last) > 0 && len(r.tasks) == 0 {
		r.repeatRequest(c)
		return true
	}
	return false
}

// useLocation takes out the words that only say which picture is meant: in the
// second picture.
func useLocation(c *token.Clause) {
	if c.Start+2 < c.End && c.Tokens[c.Start].Is("in", "on") {
		for i := c.Start; i < min(c.End, c.Start+6); i++ {
			if c.Tokens[i].Is(",") {
				c.Use(c.Start, i+1)
				return
			}
		}
	}
}

// planVideoEdit plans a changed version of a clip.
func (r *interpretation) planVideoEdit(c *token.Clause, refs []mediaRef) {
	t := r.newTask("video_to_video", "edit")
	if t == nil {
		return
	}
	if c.Contains("outpaint", "widen", "expand", "uncrop", "wider") {
		t.args["controlMode"] = "outpaint"
		if ratio, ok := slot.TakeAspectRatio(c, true); ok && t.allows("outpaintAspectRatio", ratio) {
			t.args["outpaintAspectRatio"] = ratio
		}
	} else if ratio, ok := slot.TakeAspectRatio(c, true); ok && t.allows("outpaintAspectRatio", ratio) {
		t.args["controlMode"], t.args["outpaintAspectRatio"] = "outpaint", ratio
		t.addNote("The clip is extended to that shape; nothing is cut off.")
	} else if c.Peek("better") != nil || c.Contains("sharpen", "enhance", "improve") {
		t.args["controlMode"] = "detailer"
	}
	if c.Contains("person", "actor", "man", "woman", "character") && c.Contains("replace", "swap", "with") && r.resolveLatest("image", c) != nil {
		t.args["controlMode"] = "animate-replace"
		t.setMedia("sourceImageIndex", r.resolveMedia(c, "image")...)
	}
	r.fillArguments(c, t)
	t.args["prompt"] = readInstruction(c)
	if t.args["prompt"] == "" {
		if base := r.lastRequest(); base != nil && base.tool.Name != t.tool.Name && base.hasArgument("duration") {
			again := base.clone() // the same clip, with these particulars
			for _, name := range []string{"duration", "targetResolution", "videoModel", "generateAudio"} {
				if v, given := t.args[name]; given {
					again.setArgument(name, v)
				}
			}
			r.addTask(again)
			return
		}
		t.args["prompt"] = "the same scene"
	}
	r.addForMedia(t, "videoSourceIndex", "video", refs)
}
