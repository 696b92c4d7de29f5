package offline

// planTalkingPicture plans a picture that speaks or sings: to a sound that is there, or to
// words that are spoken first.
func (r *interpretation) planTalkingPicture(c *clause, n int) {
	if r.wantsNew(c, n) && c.countQuotations() == 0 && r.resolveLatest("audio", c) == nil {
		r.planCreation(c, n)
		return
	}
	t := r.newTask("sound_to_video", "talking")
	if t == nil {
		return
	}
	text := c.takeQuotation()
	images := r.resolveMedia(c, "image")
	if text == "" {
		r.fillArguments(c, t)
		t.args["prompt"] = "the person speaks to the camera, natural lip movement"
		if c.contains("sing", "singing", "sings") {
			t.args["prompt"] = "the person sings, natural lip movement"
		}
		t.subject = firstLabel(images)
		if len(images) == 1 {
			t.setMedia("sourceImageIndex", images...)
		}
		r.addForMedia(t, "audioSourceIndex", "audio", r.resolveMedia(c, "audio"))
		return
	}
	if len(images) == 0 {
		r.ask(t, "image", r.planner.templates.askForMedia("sound_to_video", "image"))
		return
	}
	voice := r.newTask("generate_speech", "speak")
	if voice == nil {
		return
	}
	voice.args["prompt"], voice.subject = text, text
	fillVoice(c, voice)
	r.addTask(voice)
	r.fillArguments(c, t)
	t.args["prompt"] = "the person says the words, natural lip movement"
	t.subject = text
	t.setMedia("sourceImageIndex", images[0])
	t.setMedia("audioSourceIndex", mediaRef{task: voice})
	r.addTask(t)
}

func (c *clause) countQuotations() (n int) {
	for i := c.lead; i < c.end; i++ {
		if c.tokens[i].kind == quotation {
			n++
		}
	}
	return n
}

// planMusicVideo plans a clip that follows a soundtrack.
func (r *interpretation) planMusicVideo(c *clause, n int) {
	sound := r.resolveLatest("audio", c)
	if sound == nil && r.wantsNew(c, n) && !c.contains("my", "this", "attached") && !c.contains("music") {
		r.planCreation(c, n)
		return
	}
	t := r.newTask("sound_to_video", "musicvideo")
	if t == nil {
		return
	}
	refs := r.resolveMedia(c, "audio")
	if r.countAttached("image") > 0 || c.contains("picture", "photo", "image") {
		if images := r.resolveMedia(c, "image"); len(images) == 1 {
			t.setMedia("sourceImageIndex", images...)
		}
	}
	if v, ok := c.takeMoment(); ok {
		t.args["audioStart"] = v
	}
	r.fillArguments(c, t)
	c.use(c.start, c.start+n)
	c.useLeadIn("as", "use", "take", "for", "to", "this", "my", "the", "a", "an", "music", "with", "it", "me", "over", "of", "attached", "i", "sent",
		"that", "from", "into", "in", "and")
	t.args["prompt"] = c.unused(c.start, c.end)
	if t.args["prompt"] == "" {
		t.args["prompt"] = "a music video that follows the mood of the sound"
		if label := firstLabel(refs); label != "" {
			t.args["prompt"] = "a music video: " + label
		}
	}
	t.subject = "your soundtrack"
	r.addForMedia(t, "audioSourceIndex", "audio", refs)
}
