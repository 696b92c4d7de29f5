package offline

// fresh reports whether a clause wants something new, although its words also
// fit a change of what is there: draw a castle from above.
func (r *reading) fresh(c *clause, n int) bool {
	if c.entry(c.start, c.to, "verb", "make", "draw", "film", "compose", "sing", "write") == nil && c.entry(c.start, c.to, "wish") == nil {
		return false
	}
	h := c.head(c.start + n)
	if h.from >= c.to || r.refers(c, h.from) || c.tokens[h.from].is("it", "me", "him", "them") {
		return false
	}
	if h.noun != nil && c.meant(h.at) {
		return false
	}
	return !c.tokens[h.from].is("my", "this", "that") || !r.mine(c, h.from)
}

// instruction is what a clause wants changed, in its own words.
func (c *clause) instruction() string { return c.rest(c.start, c.to) }

// edit plans a change by instruction of whatever is meant.
func (r *reading) edit(c *clause, n int) {
	if e := c.undoable(c.start, head{from: c.start + n}); e != nil && !r.anything(c) {
		r.undoable(e)
		return
	}
	kind, refs := r.pointed(c, "image", "video", "audio", "model")
	switch kind {
	case "video":
		r.remake(c, refs)
		return
	case "audio":
		r.redo(c)
		return
	case "model":
		r.say("A 3D model cannot be edited here. I can make it again from a changed picture: tell me what to change in that.")
		return
	}
	if refs == nil && r.unmade(c) {
		return
	}
	if refs != nil && c.lasts() {
		r.animateFrom(c, head{from: c.start + n}) // what takes seconds is a clip
		return
	}
	t := r.task("edit_image", "edit")
	if t == nil {
		return
	}
	r.fill(c, t)
	c.usePlace()
	t.args["prompt"] = c.instruction()
	if t.args["prompt"] == "" { // only particulars: the same again with them
		r.redo(c)
		return
	}
	r.on(t, "sourceImageIndex", "image", refs)
}

// unmade handles a change of something that is not there: of what was asked for
// and not made yet, or of nothing.
func (r *reading) unmade(c *clause) bool {
	if len(r.s.last) > 0 && len(r.tasks) == 0 {
		r.redo(c)
		return true
	}
	return false
}

// usePlace takes out the words that only say which picture is meant: in the
// second picture.
func (c *clause) usePlace() {
	if c.start+2 < c.to && c.tokens[c.start].is("in", "on") {
		for i := c.start; i < min(c.to, c.start+6); i++ {
			if c.tokens[i].is(",") {
				c.use(c.start, i+1)
				return
			}
		}
	}
}

// remake plans a changed version of a clip.
func (r *reading) remake(c *clause, refs []ref) {
	t := r.task("video_to_video", "edit")
	if t == nil {
		return
	}
	if c.says("outpaint", "widen", "expand", "uncrop", "wider") {
		t.args["controlMode"] = "outpaint"
		if ratio, ok := c.takeRatio(true); ok && t.allowed("outpaintAspectRatio", ratio) {
			t.args["outpaintAspectRatio"] = ratio
		}
	} else if ratio, ok := c.takeRatio(true); ok && t.allowed("outpaintAspectRatio", ratio) {
		t.args["controlMode"], t.args["outpaintAspectRatio"] = "outpaint", ratio
		t.note("The clip is extended to that shape; nothing is cut off.")
	} else if c.peek("better") != nil || c.says("sharpen", "enhance", "improve") {
		t.args["controlMode"] = "detailer"
	}
	if c.says("person", "actor", "man", "woman", "character") && c.says("replace", "swap", "with") && r.latest("image", c) != nil {
		t.args["controlMode"] = "animate-replace"
		t.address("sourceImageIndex", r.refs(c, "image")...)
	}
	r.fill(c, t)
	t.args["prompt"] = c.instruction()
	if t.args["prompt"] == "" {
		if base := r.base(); base != nil && base.tool.Name != t.tool.Name && base.takes("duration") {
			again := base.copy() // the same clip, with these particulars
			for _, name := range []string{"duration", "targetResolution", "videoModel", "generateAudio"} {
				if v, given := t.args[name]; given {
					again.set(name, v)
				}
			}
			r.add(again)
			return
		}
		t.args["prompt"] = "the same scene"
	}
	r.on(t, "videoSourceIndex", "video", refs)
}
