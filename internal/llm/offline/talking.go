package offline

// talking plans a picture that speaks or sings: to a sound that is there, or to
// words that are spoken first.
func (r *reading) talking(c *clause, n int) {
	if r.fresh(c, n) && c.quotes() == 0 && r.latest("audio", c) == nil {
		r.make(c, n)
		return
	}
	t := r.task("sound_to_video", "talking")
	if t == nil {
		return
	}
	text := c.takeQuote()
	images := r.refs(c, "image")
	if text == "" {
		r.fill(c, t)
		t.args["prompt"] = "the person speaks to the camera, natural lip movement"
		if c.says("sing", "singing", "sings") {
			t.args["prompt"] = "the person sings, natural lip movement"
		}
		t.about = labelOf(images)
		if len(images) == 1 {
			t.address("sourceImageIndex", images...)
		}
		r.on(t, "audioSourceIndex", "audio", r.refs(c, "audio"))
		return
	}
	if len(images) == 0 {
		r.ask(t, "image", r.m.phrases.lacking("sound_to_video", "image"))
		return
	}
	voice := r.task("generate_speech", "speak")
	if voice == nil {
		return
	}
	voice.args["prompt"], voice.about = text, text
	fillVoice(c, voice)
	r.add(voice)
	r.fill(c, t)
	t.args["prompt"] = "the person says the words, natural lip movement"
	t.about = text
	t.address("sourceImageIndex", images[0])
	t.address("audioSourceIndex", ref{of: voice})
	r.add(t)
}

func (c *clause) quotes() (n int) {
	for i := c.from; i < c.to; i++ {
		if c.tokens[i].kind == quote {
			n++
		}
	}
	return n
}

// musicVideo plans a clip that follows a soundtrack.
func (r *reading) musicVideo(c *clause, n int) {
	sound := r.latest("audio", c)
	if sound == nil && r.fresh(c, n) && !c.says("my", "this", "attached") && !c.says("music") {
		r.make(c, n)
		return
	}
	t := r.task("sound_to_video", "musicvideo")
	if t == nil {
		return
	}
	refs := r.refs(c, "audio")
	if r.attached("image") > 0 || c.says("picture", "photo", "image") {
		if images := r.refs(c, "image"); len(images) == 1 {
			t.address("sourceImageIndex", images...)
		}
	}
	if v, ok := c.takeMoment(); ok {
		t.args["audioStart"] = v
	}
	r.fill(c, t)
	c.use(c.start, c.start+n)
	c.useOpening("as", "use", "take", "for", "to", "this", "my", "the", "a", "an", "music", "with", "it", "me", "over", "of", "attached", "i", "sent",
		"that", "from", "into", "in", "and")
	t.args["prompt"] = c.rest(c.start, c.to)
	if t.args["prompt"] == "" {
		t.args["prompt"] = "a music video that follows the mood of the sound"
		if label := labelOf(refs); label != "" {
			t.args["prompt"] = "a music video: " + label
		}
	}
	t.about = "your soundtrack"
	r.on(t, "audioSourceIndex", "audio", refs)
}
