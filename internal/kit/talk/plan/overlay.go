package plan

import (
	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// planOverlay plans text or a picture over a clip. Over a picture it is an edit.
func (r *Interpretation) planOverlay(c *token.Clause, n int) {
	refs := r.resolveMedia(c, "video")
	if refs == nil && r.ResolveLatest("image", c) != nil || refs != nil && !mentionsKind(c, "video") && r.newestKind() == "image" {
		r.planEdit(c, n)
		return
	}
	if refs == nil && c.CountQuotations() > 0 && !mentionsKind(c, "video") && r.ResolveLatest("image", c) == nil {
		r.planImage(c, slot.NounPhrase{Start: c.Start}) // a picture of the text
		return
	}
	t := r.newTask("overlay_video", "overlay")
	if t == nil {
		return
	}
	over := map[string]any{"kind": "text"}
	if e := c.Take("place"); e != nil {
		over["position"] = e.Key
	}
	if part, ok := slot.TakeSpan(c); ok {
		over["startSeconds"], over["endSeconds"] = part.From, part.To
	} else if at, ok := slot.TakeMoment(c); ok {
		over["startSeconds"] = at
		if v, ok := slot.TakeDuration(c); ok {
			over["endSeconds"] = at + v
		}
	} else if v, ok := slot.TakeDuration(c); ok && c.Contains("last", "final", "end") {
		t.AddNote("I do not know how long the clip is, so the overlay is shown all the time.")
	} else if ok {
		over["startSeconds"], over["endSeconds"] = 0.0, v
	}
	if e := c.Peek("colour"); e != nil {
		over["styling"] = map[string]any{"color": e.Attr("value")}
	}
	text := c.TakeQuotation()
	if text == "" && c.Contains("logo", "watermark", "picture", "image", "photo") {
		images := r.resolveMedia(c, "image")
		if len(images) == 0 {
			r.ask(t, "image", "Which picture should lie over the clip? Send it with your message.")
			return
		}
		over["kind"] = "image"
		t.Media = append(t.Media, MediaArgument{Name: "overlays", Field: "sourceImageIndex", Refs: images[:1]})
		t.Subject = "your picture"
	} else {
		if text == "" {
			text = readLettering(c, n)
		}
		if text == "" {
			t.Args["overlays"] = []any{over}
			r.ask(t, "text", "Which words should lie over the clip? Put them in quotation marks.")
			return
		}
		over["text"], t.Subject = text, text
	}
	t.Args["overlays"] = []any{over}
	r.addForMedia(t, "sourceVideoIndex", "video", refs)
}

func mentionsKind(c *token.Clause, kind string) bool {
	at, _ := findNoun(c, kind, false)
	return at >= 0
}

// newestKind returns the kind of the newest media.
func (r *Interpretation) newestKind() string {
	for i := len(r.Tasks) - 1; i >= 0; i-- {
		if kind := r.Tasks[i].OutputKind(); kind != "" {
			return kind
		}
	}
	if items := r.state.Media.Items; len(items) > 0 {
		return items[len(items)-1].Kind
	}
	return ""
}

// readLettering returns the text to write when nothing is quoted: the title Hello World.
func readLettering(c *token.Clause, n int) string {
	for i := c.Start + n; i < c.End; i++ {
		if e := c.Match(i, c.End, "lettering"); e != nil {
			end := c.End
			for k := i + e.Len; k < c.End; k++ {
				if c.Tokens[k].Is("to", "on", "over", "at", "in") && (k+1 < c.End && beginsMediaName(c, k+1) || c.Used[min(k+1, c.End-1)]) {
					end = k
					break
				}
			}
			return token.TrimFirstWords(c.Unused(i+e.Len, end), "saying", "that", "says", "reading", "with", ":", "the", "words", "called")
		}
	}
	return ""
}
