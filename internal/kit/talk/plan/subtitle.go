package plan

import (
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// planSubtitles plans subtitles: from a quotation, from SRT text, or transcribed from the sound.
func (r *Interpretation) planSubtitles(c *token.Clause, n int) {
	t := r.newTask("add_subtitles", "subtitle")
	if t == nil {
		return
	}
	refs := r.resolveMedia(c, "video")
	style := map[string]any{}
	if e := c.Take("place"); e != nil {
		for _, where := range []string{"top", "bottom"} {
			if strings.HasPrefix(e.Key, where) {
				style["position"] = where
			}
		}
		if e.Key == "center" {
			style["position"] = "center"
		}
	}
	if e := c.Peek("colour"); e != nil {
		style["color"] = e.Attr("value")
	}
	if len(style) > 0 {
		t.Args["style"] = style
	}
	rest := c.Source[c.Tokens[c.Lead].Start:]
	switch i := strings.Index(rest, "-->"); {
	case i >= 0:
		line := strings.LastIndexByte(rest[:i], '\n')
		if before := strings.LastIndexByte(rest[:max(0, line)], '\n'); before >= 0 {
			line = before
		}
		t.Args["srt"] = strings.TrimSpace(rest[max(0, line):])
		c.Use(c.Start, len(c.Tokens))
	case c.CountQuotations() > 0:
		part, timed := slot.TakeSpan(c)
		var cues []any
		for at := 0.0; ; {
			text := c.TakeQuotation()
			if text == "" {
				break
			}
			cue := map[string]any{"startSeconds": at, "endSeconds": at + 3, "text": text}
			if timed {
				cue["startSeconds"], cue["endSeconds"] = part.From, part.To
				part = slot.Span{From: part.To, To: part.To + (part.To - part.From)}
			}
			at += 3
			cues = append(cues, cue)
		}
		t.Args["cues"] = cues
		t.Subject = "your words"
	default:
		t.Args["auto_transcribe"] = true
	}
	r.addForMedia(t, "sourceVideoIndex", "video", refs)
}
