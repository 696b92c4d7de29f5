package plan

import (
	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// wantsNew reports whether a clause wants something new, although its words also fit an edit: draw a castle from above.
func (r *Interpretation) wantsNew(c *token.Clause, n int) bool {
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

// readInstruction returns what a clause wants changed, in its own words.
func readInstruction(c *token.Clause) string { return c.Unused(c.Start, c.End) }

// planEdit plans an edit by instruction.
func (r *Interpretation) planEdit(c *token.Clause, n int) {
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
		r.animatePicture(c, slot.NounPhrase{Start: c.Start + n}) // something with a duration is a clip
		return
	}
	t := r.newTask("edit_image", "edit")
	if t == nil {
		return
	}
	r.FillArguments(c, t)
	useLocation(c)
	t.Args["prompt"] = readInstruction(c)
	if t.Args["prompt"] == "" { // only values: repeat with them
		r.repeatRequest(c)
		return
	}
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}

// changeUnmade repeats the last request with changes, when nothing was made yet that could be edited.
func (r *Interpretation) changeUnmade(c *token.Clause) bool {
	if len(r.state.Last) > 0 && len(r.Tasks) == 0 {
		r.repeatRequest(c)
		return true
	}
	return false
}

// useLocation marks the words as used that only say which picture is meant: in the second picture.
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

func (r *Interpretation) planVideoEdit(c *token.Clause, refs []MediaRef) {
	t := r.newTask("video_to_video", "edit")
	if t == nil {
		return
	}
	if c.Contains("outpaint", "widen", "expand", "uncrop", "wider") {
		t.Args["controlMode"] = "outpaint"
		if ratio, ok := slot.TakeAspectRatio(c, true); ok && t.allows("outpaintAspectRatio", ratio) {
			t.Args["outpaintAspectRatio"] = ratio
		}
	} else if ratio, ok := slot.TakeAspectRatio(c, true); ok && t.allows("outpaintAspectRatio", ratio) {
		t.Args["controlMode"], t.Args["outpaintAspectRatio"] = "outpaint", ratio
		t.AddNote("The clip is extended to that shape; nothing is cut off.")
	} else if c.Peek("better") != nil || c.Contains("sharpen", "enhance", "improve") {
		t.Args["controlMode"] = "detailer"
	}
	if c.Contains("person", "actor", "man", "woman", "character") && c.Contains("replace", "swap", "with") && r.ResolveLatest("image", c) != nil {
		t.Args["controlMode"] = "animate-replace"
		t.SetMedia("sourceImageIndex", r.resolveMedia(c, "image")...)
	}
	r.FillArguments(c, t)
	t.Args["prompt"] = readInstruction(c)
	if t.Args["prompt"] == "" {
		if base := r.lastRequest(); base != nil && base.Tool.Name != t.Tool.Name && base.HasArgument("duration") {
			again := base.clone() // the same clip with these values
			for _, name := range []string{"duration", "targetResolution", "videoModel", "generateAudio"} {
				if v, given := t.Args[name]; given {
					again.setArgument(name, v)
				}
			}
			r.addTask(again)
			return
		}
		t.Args["prompt"] = "the same scene"
	}
	r.addForMedia(t, "videoSourceIndex", "video", refs)
}
