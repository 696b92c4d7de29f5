package offline

// planOverlay plans lettering or a picture over a clip. On a picture it is an edit.
func (r *interpretation) planOverlay(c *clause, n int) {
	refs := r.resolveMedia(c, "video")
	if refs == nil && r.resolveLatest("image", c) != nil || refs != nil && !c.mentionsKind("video") && r.newestKind() == "image" {
		r.planEdit(c, n)
		return
	}
	if refs == nil && c.countQuotations() > 0 && !c.mentionsKind("video") && r.resolveLatest("image", c) == nil {
		r.planImage(c, nounPhrase{start: c.start}) // lettering is what the picture shows
		return
	}
	t := r.newTask("overlay_video", "overlay")
	if t == nil {
		return
	}
	over := map[string]any{"kind": "text"}
	if e := c.take("place"); e != nil {
		over["position"] = e.key
	}
	if part, ok := c.takeSpan(); ok {
		over["startSeconds"], over["endSeconds"] = part.from, part.to
	} else if at, ok := c.takeMoment(); ok {
		over["startSeconds"] = at
		if v, ok := c.takeDuration(); ok {
			over["endSeconds"] = at + v
		}
	} else if v, ok := c.takeDuration(); ok && c.contains("last", "final", "end") {
		t.addNote("I do not know how long the clip is, so the overlay is shown all the time.")
	} else if ok {
		over["startSeconds"], over["endSeconds"] = 0.0, v
	}
	if e := c.peek("colour"); e != nil {
		over["styling"] = map[string]any{"color": e.attr("value")}
	}
	text := c.takeQuotation()
	if text == "" && c.contains("logo", "watermark", "picture", "image", "photo") {
		images := r.resolveMedia(c, "image")
		if len(images) == 0 {
			r.ask(t, "image", "Which picture should lie over the clip? Send it with your message.")
			return
		}
		over["kind"] = "image"
		t.media = append(t.media, mediaArgument{name: "overlays", field: "sourceImageIndex", refs: images[:1]})
		t.subject = "your picture"
	} else {
		if text == "" {
			text = c.readLettering(n)
		}
		if text == "" {
			t.args["overlays"] = []any{over}
			r.ask(t, "text", "Which words should lie over the clip? Put them in quotation marks.")
			return
		}
		over["text"], t.subject = text, text
	}
	t.args["overlays"] = []any{over}
	r.addForMedia(t, "sourceVideoIndex", "video", refs)
}

// refersToKind reports whether a clause names media of a kind that is there: my clip.
func (c *clause) refersToKind(kind string) bool {
	for i := c.start; i < c.end; i++ {
		if e := c.matchNoun(i, c.end); e != nil && e.attr("kind") == kind && c.refersToExisting(i) {
			return true
		}
	}
	return false
}

// mentionsKind reports whether a clause names media of a kind.
func (c *clause) mentionsKind(kind string) bool {
	for i := c.start; i < c.end; i++ {
		if e := c.matchNoun(i, c.end); e != nil && e.attr("kind") == kind {
			return true
		}
	}
	return false
}

// newestKind is the kind of what came or was made last.
func (r *interpretation) newestKind() string {
	for i := len(r.tasks) - 1; i >= 0; i-- {
		if kind := r.tasks[i].outputKind(); kind != "" {
			return kind
		}
	}
	if items := r.state.media.items; len(items) > 0 {
		return items[len(items)-1].kind
	}
	return ""
}

// readLettering is the text to write when nothing is quoted: the title Hello World.
func (c *clause) readLettering(n int) string {
	for i := c.start + n; i < c.end; i++ {
		if e := c.match(i, c.end, "lettering"); e != nil {
			end := c.end
			for k := i + e.len; k < c.end; k++ {
				if c.tokens[k].is("to", "on", "over", "at", "in") && (k+1 < c.end && c.beginsMediaName(k+1) || c.used[min(k+1, c.end-1)]) {
					end = k
					break
				}
			}
			return trimFirstWords(c.unused(i+e.len, end), "saying", "that", "says", "reading", "with", ":", "the", "words", "called")
		}
	}
	return ""
}
