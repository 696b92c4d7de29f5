package offline

// extend plans a longer clip. Music and speech are made again instead.
func (r *reading) extend(c *clause, n int) {
	if r.fresh(c, n) {
		r.make(c, n)
		return
	}
	kind, refs := r.pointed(c, "video", "audio", "image")
	switch {
	case kind == "audio" && refs != nil:
		r.redo(c)
		return
	case kind == "image" && refs != nil:
		r.expand(c, n)
		return
	}
	t := r.task("extend_video", "extend")
	if t == nil {
		return
	}
	r.fill(c, t)
	if t.args["duration"] == nil {
		t.args["duration"] = 5.0
	}
	c.use(c.start, c.start+n)
	c.useOpening("it", "the", "this", "that", "my", "by", "a", "make", "longer", "little", "bit", "with", "another", "to", "and", "so", "add", "more",
		"let", "seconds", "much", "for", "on", "where", "last", "first", "second", "of")
	if next := c.rest(c.start, c.to); next != "" {
		t.args["prompt"] = next
	}
	r.on(t, "videoIndex", "video", refs)
}

// patch plans the replacement of a part of a clip.
func (r *reading) patch(c *clause, n int) {
	if r.fresh(c, n) {
		r.make(c, n)
		return
	}
	part, ok := c.takeSpan()
	if !ok || c.entry(c.start, c.to, "verb", "remove") != nil {
		r.edit(c, n)
		return
	}
	t := r.task("replace_video_segment", "patch")
	if t == nil {
		return
	}
	c.takeTails()
	t.args["startSeconds"], t.args["endSeconds"] = part.from, part.to
	if c.says("keep") && c.says("sound", "audio", "music") {
		t.args["keepOriginalAudio"] = true
	}
	refs := r.refs(c, "video")
	argument := t.tool.Models.Argument
	r.fillModel(c, t)
	if t.args[argument] == nil {
		delete(t.args, argument)
	}
	c.use(c.start, c.start+n)
	c.useOpening("show", "put", "insert", "have", "there", "should", "be", "make", "the", "seconds", "part", "section", "segment", "of", "in", "my",
		"this", "that", "with", "by", "into", "to", "it", "from", "between", "a", "scene", "so", "bit", "at")
	t.args["prompt"] = c.rest(c.start, c.to)
	if t.args["prompt"] == "" {
		r.ask(t, "prompt", "What should the new part of the clip show?")
		return
	}
	r.on(t, "videoIndex", "video", refs)
}
