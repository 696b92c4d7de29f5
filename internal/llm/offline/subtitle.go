package offline

import "strings"

// planSubtitles plans subtitles: from a quotation, from SRT text, or written down
// from the sound.
func (r *interpretation) planSubtitles(c *clause, n int) {
	t := r.newTask("add_subtitles", "subtitle")
	if t == nil {
		return
	}
	refs := r.resolveMedia(c, "video")
	style := map[string]any{}
	if e := c.take("place"); e != nil {
		for _, where := range []string{"top", "bottom"} {
			if strings.HasPrefix(e.key, where) {
				style["position"] = where
			}
		}
		if e.key == "center" {
			style["position"] = "center"
		}
	}
	if e := c.peek("colour"); e != nil {
		style["color"] = e.attr("value")
	}
	if len(style) > 0 {
		t.args["style"] = style
	}
	rest := c.source[c.tokens[c.lead].start:]
	switch i := strings.Index(rest, "-->"); {
	case i >= 0:
		line := strings.LastIndexByte(rest[:i], '\n')
		if before := strings.LastIndexByte(rest[:max(0, line)], '\n'); before >= 0 {
			line = before
		}
		t.args["srt"] = strings.TrimSpace(rest[max(0, line):])
		c.use(c.start, len(c.tokens))
	case c.countQuotations() > 0:
		part, timed := c.takeSpan()
		var cues []any
		for at := 0.0; ; {
			text := c.takeQuotation()
			if text == "" {
				break
			}
			cue := map[string]any{"startSeconds": at, "endSeconds": at + 3, "text": text}
			if timed {
				cue["startSeconds"], cue["endSeconds"] = part.from, part.to
				part = span{from: part.to, to: part.to + (part.to - part.from)}
			}
			at += 3
			cues = append(cues, cue)
		}
		t.args["cues"] = cues
		t.subject = "your words"
	default:
		t.args["auto_transcribe"] = true
	}
	r.addForMedia(t, "sourceVideoIndex", "video", refs)
}
