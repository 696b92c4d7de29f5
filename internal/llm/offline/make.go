package offline

import "strings"

// planCreation plans something new: a picture, a clip, music, a song, speech or a 3D
// model. What turns out to be about media that is there already is an edit.
func (r *interpretation) planCreation(c *clause, n int) {
	verb := c.match(c.start, c.end, "verb")
	if e := c.matchNoun(c.start, c.end); e != nil && c.start+e.len < c.end && c.tokens[c.start+e.len].is("of", "showing") {
		verb, n = nil, 0 // a sketch of …, rather than to sketch
	}
	h := c.findNounPhrase(c.start + n)
	if e := c.findUnsupported(c.start, h); e != nil {
		r.refuse(e)
		return
	}
	kind := ""
	if verb != nil {
		kind = verb.attr("kind")
	}
	if h.noun != nil {
		kind = h.noun.attr("kind")
		if of := h.noun.attr("of"); of != "" {
			kind = of
		}
	}
	wish := c.match(c.start, c.end, "wish") != nil && h.noun == nil
	if wish && r.answerFromGuide(c) {
		return
	}
	if h.noun == nil && r.refersToMedia(c, h.start) {
		r.planEdit(c, n)
		return
	}
	switch kind {
	case "video":
		r.planVideo(c, h)
	case "music", "audio":
		if c.contains("saying", "says", "reading", "speaking") && c.countQuotations() > 0 {
			r.planSpeech(c, n)
		} else if c.peek("vocal", "some") != nil {
			r.planSong(c, h)
		} else {
			r.planMusic(c, h)
		}
	case "song":
		r.planSong(c, h)
	case "speech":
		r.planSpeech(c, n)
	case "model":
		r.planNewModel3D(c, h)
	default:
		r.planImage(c, h)
	}
}

// refersToMedia reports whether what stands at a token is media that is there: it,
// him, the sky, when there is something to have a sky.
func (r *interpretation) refersToMedia(c *clause, i int) bool {
	if i >= c.end {
		return false
	}
	if i+1 < c.end && c.tokens[i].is("me", "us") && c.tokens[i+1].is("look", "smile", "into", "younger", "older", "wear", "hold", "fly", "sit", "stand",
		"laugh", "taller", "thinner") {
		return r.hasMedia(c) // make me look like …
	}
	if c.matches(i, c.end, "pronoun") && !c.tokens[i].is("me", "all", "each") {
		e := c.match(i, c.end, "pronoun")
		next := i + e.len
		if c.tokens[i].is("this", "that", "these", "those", "her") && next < c.end && c.tokens[next].kind == word && !c.matches(next, c.end, "prep", "adjective", "style") {
			return r.hasMedia(c)
		}
		return true
	}
	if c.tokens[i].is("the", "my", "his", "its", "their", "our", "this", "that") {
		return r.hasMedia(c)
	}
	return false
}

// hasMedia reports whether there is media to work on.
func (r *interpretation) hasMedia(c *clause) bool {
	for _, kind := range []string{"image", "video", "audio", "model"} {
		if r.resolveLatest(kind, c) != nil {
			return true
		}
	}
	return false
}

// planImage plans pictures.
func (r *interpretation) planImage(c *clause, h nounPhrase) {
	if r.planFromUpload(c, h) {
		return
	}
	t := r.newTask("generate_image", "make")
	if t == nil {
		return
	}
	transparent := c.takeTransparency()
	r.fillStartImage(c, t)
	r.fillArguments(c, t)
	t.setCount(h)
	parts := c.splitEnumeration(h)
	wild := c.peek("wild")
	prompt := c.readPrompt(h)
	if wild != nil && strings.Count(prompt, " ") <= wild.len {
		prompt = r.planner.templates.pickIdea(c.source)
	}
	if parts != nil {
		for _, p := range parts {
			one := t.clone()
			one.args["prompt"], one.subject = p, p
			delete(one.args, "numberOfVariations")
			r.addImage(one, transparent)
		}
		return
	}
	if c.announcesList(prompt) {
		prompt = ""
	}
	t.args["prompt"] = prompt
	if prompt == "" {
		r.addOrAsk(t, "prompt", "What should the picture show?")
		return
	}
	r.addImage(t, transparent)
}

// addImage plans a picture, and what makes its background transparent where the
// model cannot do that itself.
func (r *interpretation) addImage(t *task, transparent bool) {
	r.addTask(t)
	if !transparent {
		return
	}
	if model, _ := t.args["model"].(string); strings.HasPrefix(model, "gpt-image") {
		t.args["gptImageBackground"] = "transparent"
		return
	}
	for i := range t.outputCount() {
		if cut := r.newTask("remove_background", "cutout"); cut != nil {
			cut.subject = t.subject
			cut.setMedia("sourceImageIndex", mediaRef{task: t, nth: i})
			r.addTask(cut)
		}
	}
}

// takeTransparency finds the wish for a transparent background.
func (c *clause) takeTransparency() bool {
	for i := c.start; i+1 < c.end; i++ {
		if c.tokens[i].is("transparent") && c.tokens[i+1].is("background", "png", "backdrop") {
			c.use(i, i+2)
			c.useBefore(i, "on", "with", "a", "an", "and", "the", "as", "in", "has", "have")
			return true
		}
	}
	return false
}

// setCount sets how many are wanted.
func (t *task) setCount(h nounPhrase) {
	if h.count > 1 {
		t.setArgument("numberOfVariations", t.clamp("numberOfVariations", float64(h.count), ""))
	}
}

// splitEnumeration are the pictures of a list that is as long as the number asked
// for: three pictures: a fox, a bear and an owl.
func (c *clause) splitEnumeration(h nounPhrase) []string {
	if h.count < 2 || h.noun == nil {
		return nil
	}
	at := h.nounAt + h.noun.len
	if at >= c.end || !c.tokens[at].is(":") {
		return nil
	}
	var parts []string
	for _, piece := range strings.Split(c.source[c.tokens[at].end:c.tokens[c.end-1].end], ",") {
		for _, one := range splitAtWords(piece, "and") {
			if one = tidy(one); one != "" {
				parts = append(parts, one)
			}
		}
	}
	if len(parts) != h.count {
		return nil
	}
	return parts
}

// announcesList reports whether a description only says that a list comes.
func (c *clause) announcesList(prompt string) bool {
	if prompt == "" {
		return true
	}
	t := c.lexicon.parse(prompt)
	e := t.match(0, len(t.tokens), "follows")
	return e != nil && len(t.tokens)-e.len <= 1
}

// planVideo plans a clip: from words, or from a picture that is meant.
func (r *interpretation) planVideo(c *clause, h nounPhrase) {
	if h.noun != nil && r.usesPicture(c, h.nounAt+h.noun.len) {
		r.animatePicture(c, h)
		return
	}
	t := r.newTask("generate_video", "make")
	if t == nil {
		return
	}
	r.fillReferenceImages(c, t)
	r.fillArguments(c, t)
	t.setCount(h)
	wild := c.peek("wild")
	prompt := c.readPrompt(h)
	if wild != nil && strings.Count(prompt, " ") <= wild.len {
		prompt = r.planner.templates.pickIdea(c.source)
	}
	if c.announcesList(prompt) {
		prompt = ""
	}
	t.args["prompt"] = prompt
	r.addOrAsk(t, "prompt", "What should happen in the clip?")
}

// usesPicture reports whether a clip is to be made of a picture: of my photo, of
// this, of him.
func (r *interpretation) usesPicture(c *clause, at int) bool {
	for i := at; i < min(c.end, at+4); i++ {
		if !c.tokens[i].is("of", "from", "with", "using", "out", "based", "on") {
			continue
		}
		next := i + 1
		if next >= c.end || r.resolveLatest("image", c) == nil {
			return false
		}
		if c.tokens[next].is("it", "this", "him", "them", "these", "both") || c.tokens[next].is("my", "this", "that", "the", "these") && r.canBePicture(c, next) {
			return true
		}
	}
	return false
}

// canBePicture reports whether a noun phrase can be a picture that is there: it names
// media, or it is what somebody sent just now, or it is on the shelf by name.
func (r *interpretation) canBePicture(c *clause, i int) bool {
	for k := i; k < min(c.end, i+5); k++ {
		if e := c.matchNoun(k, c.end); e != nil && e.attr("kind") == "image" {
			return true
		}
	}
	if c.tokens[i].is("my", "this", "that") && r.countAttached("image") > 0 {
		return true
	}
	return r.findByLabel(c, i, "image") != nil
}

// planFromUpload plans a change of the picture that came with the message, when the
// words are about what it shows: my dog on the moon.
func (r *interpretation) planFromUpload(c *clause, h nounPhrase) bool {
	if r.countAttached("image") == 0 {
		return false
	}
	for i := h.start; i < c.end; i++ {
		tok := c.tokens[i]
		if tok.is("my", "this", "me", "him", "it", "attached", "uploaded") && !(tok.is("me") && i == h.start) || tok.is("her") {
			if h.noun == nil || i > h.nounAt {
				t := r.newTask("edit_image", "edit")
				if t == nil {
					return true
				}
				refs := r.resolveMedia(c, "image")
				r.fillArguments(c, t)
				t.setCount(h)
				t.args["prompt"] = c.readPrompt(h)
				r.addForMedia(t, "sourceImageIndex", "image", refs)
				return true
			}
		}
	}
	return false
}

// fillStartImage makes a picture start from one that is there: based on the second
// one, starting from my sketch.
func (r *interpretation) fillStartImage(c *clause, t *task) {
	for i := c.start; i+1 < c.end; i++ {
		n := 0
		switch {
		case c.tokens[i].is("based", "building") && c.tokens[i+1].is("on"):
			n = 2
		case c.tokens[i].is("starting", "start", "made", "created") && c.tokens[i+1].is("from", "with"):
			n = 2
		case c.tokens[i].is("similar") && c.tokens[i+1].is("to"):
			n = 2
		case c.tokens[i].is("from", "like", "using") && c.tokens[i+1].is("my", "this", "that", "the"):
			n = 1
		default:
			continue
		}
		end := i + n
		for end < c.end && end < i+n+5 && c.matchNoun(end, c.end) == nil && !c.matches(end, c.end, "pronoun") {
			end++
		}
		if end >= c.end || r.resolveLatest("image", c) == nil {
			continue
		}
		if e := c.matchNoun(end, c.end); e != nil && e.attr("kind") != "image" {
			continue
		}
		refs := r.resolveMedia(c, "image")
		if len(refs) != 1 {
			continue
		}
		step := 1
		if e := c.matchNoun(end, c.end); e != nil {
			step = e.len
		}
		t.setMedia("sourceImageIndex", refs...)
		c.use(i, end+step)
		return
	}
}
