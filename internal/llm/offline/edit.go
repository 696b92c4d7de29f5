package offline

// wantsNew reports whether a clause wants something new, although its words also
// fit a change of what is there: draw a castle from above.
func (r *interpretation) wantsNew(c *clause, n int) bool {
	if c.match(c.start, c.end, "verb", "make", "draw", "film", "compose", "sing", "write") == nil && c.match(c.start, c.end, "wish") == nil {
		return false
	}
	h := c.findNounPhrase(c.start + n)
	if h.start >= c.end || r.refersToMedia(c, h.start) || c.tokens[h.start].is("it", "me", "him", "them") {
		return false
	}
	if h.noun != nil && c.refersToExisting(h.nounAt) {
		return false
	}
	return !c.tokens[h.start].is("my", "this", "that") || !r.canBePicture(c, h.start)
}

// readInstruction is what a clause wants changed, in its own words.
func (c *clause) readInstruction() string { return c.unused(c.start, c.end) }

// planEdit plans a change by instruction of whatever is meant.
func (r *interpretation) planEdit(c *clause, n int) {
	if e := c.findUnsupported(c.start, nounPhrase{start: c.start + n}); e != nil && !r.hasMedia(c) {
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
	if refs != nil && c.hasDuration() {
		r.animatePicture(c, nounPhrase{start: c.start + n}) // what takes seconds is a clip
		return
	}
	t := r.newTask("edit_image", "edit")
	if t == nil {
		return
	}
	r.fillArguments(c, t)
	c.useLocation()
	t.args["prompt"] = c.readInstruction()
	if t.args["prompt"] == "" { // only particulars: the same again with them
		r.repeatRequest(c)
		return
	}
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}

// changeUnmade handles a change of something that is not there: of what was asked for
// and not made yet, or of nothing.
func (r *interpretation) changeUnmade(c *clause) bool {
	if len(r.state.last) > 0 && len(r.tasks) == 0 {
		r.repeatRequest(c)
		return true
	}
	return false
}

// useLocation takes out the words that only say which picture is meant: in the
// second picture.
func (c *clause) useLocation() {
	if c.start+2 < c.end && c.tokens[c.start].is("in", "on") {
		for i := c.start; i < min(c.end, c.start+6); i++ {
			if c.tokens[i].is(",") {
				c.use(c.start, i+1)
				return
			}
		}
	}
}

// planVideoEdit plans a changed version of a clip.
func (r *interpretation) planVideoEdit(c *clause, refs []mediaRef) {
	t := r.newTask("video_to_video", "edit")
	if t == nil {
		return
	}
	if c.contains("outpaint", "widen", "expand", "uncrop", "wider") {
		t.args["controlMode"] = "outpaint"
		if ratio, ok := c.takeAspectRatio(true); ok && t.allows("outpaintAspectRatio", ratio) {
			t.args["outpaintAspectRatio"] = ratio
		}
	} else if ratio, ok := c.takeAspectRatio(true); ok && t.allows("outpaintAspectRatio", ratio) {
		t.args["controlMode"], t.args["outpaintAspectRatio"] = "outpaint", ratio
		t.addNote("The clip is extended to that shape; nothing is cut off.")
	} else if c.peek("better") != nil || c.contains("sharpen", "enhance", "improve") {
		t.args["controlMode"] = "detailer"
	}
	if c.contains("person", "actor", "man", "woman", "character") && c.contains("replace", "swap", "with") && r.resolveLatest("image", c) != nil {
		t.args["controlMode"] = "animate-replace"
		t.setMedia("sourceImageIndex", r.resolveMedia(c, "image")...)
	}
	r.fillArguments(c, t)
	t.args["prompt"] = c.readInstruction()
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
