package offline

// overlay plans lettering or a picture over a clip. On a picture it is an edit.
func (r *reading) overlay(c *clause, n int) {
	refs := r.refs(c, "video")
	if refs == nil && r.latest("image", c) != nil || refs != nil && !c.mentions("video") && r.newestKind() == "image" {
		r.edit(c, n)
		return
	}
	if refs == nil && c.quotes() > 0 && !c.mentions("video") && r.latest("image", c) == nil {
		r.makeImage(c, head{from: c.start}) // lettering is what the picture shows
		return
	}
	t := r.task("overlay_video", "overlay")
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
		if v, ok := c.takeLength(); ok {
			over["endSeconds"] = at + v
		}
	} else if v, ok := c.takeLength(); ok && c.says("last", "final", "end") {
		t.note("I do not know how long the clip is, so the overlay is shown all the time.")
	} else if ok {
		over["startSeconds"], over["endSeconds"] = 0.0, v
	}
	if e := c.peek("colour"); e != nil {
		over["styling"] = map[string]any{"color": e.attr("value")}
	}
	text := c.takeQuote()
	if text == "" && c.says("logo", "watermark", "picture", "image", "photo") {
		images := r.refs(c, "image")
		if len(images) == 0 {
			r.ask(t, "image", "Which picture should lie over the clip? Send it with your message.")
			return
		}
		over["kind"] = "image"
		t.media = append(t.media, use{argument: "overlays", field: "sourceImageIndex", refs: images[:1]})
		t.about = "your picture"
	} else {
		if text == "" {
			text = c.lettering(n)
		}
		if text == "" {
			t.args["overlays"] = []any{over}
			r.ask(t, "text", "Which words should lie over the clip? Put them in quotation marks.")
			return
		}
		over["text"], t.about = text, text
	}
	t.args["overlays"] = []any{over}
	r.on(t, "sourceVideoIndex", "video", refs)
}

// speaksOf reports whether a clause names media of a kind that is there: my clip.
func (c *clause) speaksOf(kind string) bool {
	for i := c.start; i < c.to; i++ {
		if e := c.noun(i, c.to); e != nil && e.attr("kind") == kind && c.meant(i) {
			return true
		}
	}
	return false
}

// mentions reports whether a clause names media of a kind.
func (c *clause) mentions(kind string) bool {
	for i := c.start; i < c.to; i++ {
		if e := c.noun(i, c.to); e != nil && e.attr("kind") == kind {
			return true
		}
	}
	return false
}

// newestKind is the kind of what came or was made last.
func (r *reading) newestKind() string {
	for i := len(r.tasks) - 1; i >= 0; i-- {
		if kind := r.tasks[i].makes(); kind != "" {
			return kind
		}
	}
	if items := r.s.shelf.items; len(items) > 0 {
		return items[len(items)-1].kind
	}
	return ""
}

// lettering is the text to write when nothing is quoted: the title Hello World.
func (c *clause) lettering(n int) string {
	for i := c.start + n; i < c.to; i++ {
		if e := c.entry(i, c.to, "lettering"); e != nil {
			end := c.to
			for k := i + e.words; k < c.to; k++ {
				if c.tokens[k].is("to", "on", "over", "at", "in") && (k+1 < c.to && c.meantAt(k+1) || c.used[min(k+1, c.to-1)]) {
					end = k
					break
				}
			}
			return dropFirst(c.rest(i+e.words, end), "saying", "that", "says", "reading", "with", ":", "the", "words", "called")
		}
	}
	return ""
}
