package offline

import "strings"

// planStitch plans one clip of several.
func (r *interpretation) planStitch(c *clause, n int) {
	if r.wantsNew(c, n) && !c.contains("from", "of") {
		r.planCreation(c, n)
		return
	}
	t := r.newTask("stitch_video", "stitch")
	if t == nil {
		return
	}
	refs := r.resolveAll(c, "video")
	if explicit := r.readSequence(c); len(explicit) > 1 {
		refs = explicit
	} else if few := r.resolveMedia(c, "video"); len(few) > 1 {
		refs = few
	} else if len(refs) < 2 {
		refs = nil
		for _, sent := range []bool{true, false} {
			for _, it := range r.state.media.filter("video", sent) {
				refs = append(refs, mediaRef{item: it})
			}
		}
	}
	if e := c.take("transition"); e != nil {
		transition := map[string]any{"type": e.key}
		if v, ok := c.takeDuration(); ok {
			transition["durationSeconds"] = min(max(v, 0.2), 2)
		}
		t.args["transition"] = transition
	}
	if c.contains("music", "song", "soundtrack", "audio", "track") {
		if sound := r.resolveMedia(c, "audio"); len(sound) == 1 {
			t.setMedia("audioIndex", sound...)
		}
	}
	if len(refs) < 2 && r.state.media.count("image", true)+r.state.media.count("image", false) > 1 && !c.mentionsKind("video") {
		r.say("Only clips can be joined here. To have two pictures in one, describe the picture you want, or animate from the first to the second.")
		return
	}
	if len(refs) < 2 {
		r.ask(t, "video", "I need at least two clips to join. Send them, or ask me to make some first.")
		return
	}
	if len(refs) > 32 {
		refs = refs[len(refs)-32:]
	}
	t.subject = formatNumber(float64(len(refs))) + " clips"
	t.setMedia("videoIndices", refs...)
	r.addTask(t)
}

// readSequence reads an order: clips 2 and 1, the third and the first.
func (r *interpretation) readSequence(c *clause) (out []mediaRef) {
	pool := r.resolveAll(c, "video")
	for i := c.start; i < c.end; i++ {
		nth := 0
		if c.tokens[i].kind == number && c.tokens[i].value == float64(int(c.tokens[i].value)) && !c.matches(i+1, c.end, "unit") {
			nth = int(c.tokens[i].value)
		} else if e := c.match(i, c.end, "ordinal"); e != nil {
			nth = int(e.number("value"))
		}
		if one := pickNth(pool, nth, 1); nth > 0 && one != nil {
			out = append(out, one...)
		}
	}
	return out
}

// planSoundtrack plans a clip with other sound: with what is there, or with music
// that is made first.
func (r *interpretation) planSoundtrack(c *clause, n int) {
	if c.match(c.start, c.end, "verb", "add", "set", "stitch") == nil && !c.refersToKind("video") {
		r.planCreation(c, n) // music for a clip that is only thought of
		return
	}
	videos := r.resolveMedia(c, "video")
	if videos == nil && r.resolveLatest("image", c) != nil {
		r.planEdit(c, n)
		return
	}
	t := r.newTask("stitch_video", "soundtrack")
	if t == nil {
		return
	}
	if len(videos) == 0 {
		r.ask(t, "video", "Which clip should get the sound? Send it, or ask me to make one first.")
		return
	}
	videos = videos[:1]
	var noun *entry
	at := 0
	for i := c.start; i < c.end; i++ {
		if e := c.matchNoun(i, c.end); e != nil && e.attr("kind") == "audio" {
			noun, at = e, i
			break
		}
	}
	there := noun == nil || c.refersToExisting(at) || c.contains("it", "that", "them")
	if sound := r.resolveLatest("audio", c); sound != nil && there {
		t.setMedia("videoIndices", videos...)
		t.setMedia("audioIndex", r.resolveMedia(c, "audio")...)
		t.subject = firstLabel(videos)
		r.addTask(t)
		return
	}
	h := c.findNounPhrase(c.start + n)
	first := "generate_music"
	if noun != nil && noun.attr("of") == "speech" {
		first = "generate_speech"
	}
	sound := r.newTask(first, "make")
	if sound == nil {
		return
	}
	text := c.takeQuotation()
	r.fillArguments(c, sound)
	for i := c.start; i < c.end; i++ { // to the clip
		if c.tokens[i].is("to", "over", "under", "behind", "on", "in") && (i+1 >= c.end || c.beginsMediaName(i+1)) {
			c.use(i, c.end)
		}
	}
	prompt := c.readPrompt(h)
	if first == "generate_speech" {
		prompt = text
		if prompt == "" {
			r.ask(sound, "prompt", "Which text should be spoken over the clip? Put it in quotation marks.")
			return
		}
	} else if prompt == "" || len(strings.Fields(prompt)) == 1 {
		prompt = "background music"
		if label := firstLabel(videos); label != "" {
			prompt += " for a clip of " + label
		}
	}
	sound.args["prompt"] = prompt
	r.addTask(sound)
	t.setMedia("videoIndices", videos...)
	t.setMedia("audioIndex", mediaRef{task: sound})
	t.subject = firstLabel(videos)
	r.addTask(t)
}

// fillReferenceImages lets a clip be guided by pictures that are meant: with my photo as
// a reference, featuring my dog.
func (r *interpretation) fillReferenceImages(c *clause, t *task) {
	if !(c.contains("reference", "references", "featuring", "starring", "guided") || c.contains("style") && c.contains("my", "this") && c.contains("picture", "photo", "image")) {
		return
	}
	refs := r.resolveMedia(c, "image")
	if refs == nil {
		return
	}
	t.setMedia("referenceImageIndices", refs...)
	for i := c.start; i < c.end; i++ {
		if c.tokens[i].is("reference", "references") {
			c.use(i, i+1)
			c.useBefore(i, "a", "as", "the", "picture", "photo", "image", "my", "this", "using", "use", "with", "pictures", "photos", "images", "these")
		}
	}
}
