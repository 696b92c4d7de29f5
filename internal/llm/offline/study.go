package offline

import "strings"

// study plans a look at a picture or clip, with the question as it was asked.
func (r *reading) study(c *clause) {
	if r.price(c) {
		return
	}
	kind, refs := r.pointed(c, "image", "video", "audio")
	switch {
	case kind == "audio" && refs != nil:
		r.inspect("audio", refs)
		return
	case kind == "video" && refs != nil && c.tokens[c.start].is("caption"):
		r.subtitle(c, 1)
		return
	case kind == "video" && refs != nil:
		t := r.task("analyze_video", "describe")
		if t == nil {
			return
		}
		t.args["query"] = c.query()
		t.args["analysisType"] = watching(c)
		detailed(c, t)
		r.on(t, "sourceVideoIndex", "video", refs)
		return
	case refs == nil && c.says("text", "article", "book", "email", "essay", "page", "novel", "chapter"):
		r.say(r.m.phrases.not["text"])
		return
	case refs == nil && c.entry(c.start, c.to, "verb", "learn", "describe") != nil && c.noun(c.to-1, c.to) == nil && r.answer(c):
		return
	}
	t := r.task("analyze_image", "describe")
	if t == nil {
		return
	}
	t.args["query"] = c.query()
	t.args["analysisType"] = looking(c)
	detailed(c, t)
	if t.args["analysisType"] == "compare" {
		pair := r.every(c, "image")
		if len(pair) < 2 {
			pair = nil
			for _, it := range r.s.shelf.items {
				if it.kind == "image" {
					pair = append(pair, ref{item: it})
				}
			}
		}
		if len(pair) < 2 {
			r.ask(t, "image", "I need two pictures to compare. Send them, or ask me to make them.")
			return
		}
		t.address("compareImageIndex", pair[1])
		refs = pair[:1]
	}
	if refs == nil && c.entry(c.start, c.to, "verb", "learn") != nil {
		if e := c.undoable(c.start, head{from: c.start}); e != nil {
			r.undoable(e)
			return
		}
		r.lost = true
		r.loose = append(r.loose, c)
		return
	}
	r.on(t, "sourceImageIndex", "image", refs)
}

// query is a question as it was asked, to be handed on.
func (c *clause) query() string {
	q := strings.Join(strings.Fields(c.words(c.start, c.to)), " ")
	if c.question {
		q += "?"
	}
	return q
}

func detailed(c *clause, t *task) {
	if c.says("detail", "detailed", "details", "thoroughly", "everything", "fully") {
		t.args["detailed"] = true
	}
}

// looking is the sort of analysis that a question about a picture wants.
func looking(c *clause) string {
	switch {
	case c.says("compare", "difference", "differences", "differ"):
		return "compare"
	case c.says("document", "invoice", "receipt", "form"):
		return "document"
	case c.says("text", "read", "say", "says", "written", "writing", "sign", "ocr", "transcribe", "letters", "words"):
		return "ocr"
	case c.says("many", "objects", "count", "things", "object"):
		return "objects"
	case c.says("describe", "caption", "what's", "what") && !c.says("colour", "color", "why", "who"):
		return "describe"
	}
	return "general"
}

// watching is the sort of analysis that a question about a clip wants.
func watching(c *clause) string {
	switch {
	case c.says("scenes", "scene", "shots", "cuts"):
		return "scene"
	case c.says("timeline", "when", "minute", "second"):
		return "timeline"
	case c.says("doing", "happens", "happening", "action", "actions", "do"):
		return "action"
	case c.says("text", "read", "written", "sign", "subtitles"):
		return "ocr"
	case c.says("summarise", "summarize", "summary", "describe", "sum"):
		return "summary"
	}
	return "general"
}

// metadata plans a look at the technical facts of a file.
func (r *reading) metadata(c *clause) {
	kind, refs := r.pointed(c, "image", "video", "audio")
	r.inspect(kind, refs)
}

func (r *reading) inspect(kind string, refs []ref) {
	t := r.task("extract_metadata", "metadata")
	if t == nil {
		return
	}
	t.args["mediaType"] = kind
	argument := map[string]string{"image": "sourceImageIndex", "video": "sourceVideoIndex", "audio": "audioSourceIndex"}[kind]
	if refs == nil {
		r.ask(t, kind, "Which file do you mean? Send it with your message.")
		return
	}
	r.on(t, argument, kind, refs[:1])
}

// question answers a question: about media, about the service, or not at all.
func (r *reading) question(c *clause) {
	if r.price(c) || r.recalls(c) {
		return
	}
	about := r.subject(c)
	if about == sure && c.technical() {
		r.metadata(c)
		return
	}
	if about == sure {
		r.study(c)
		return
	}
	if r.answer(c) || r.calculate(c) {
		return
	}
	if about == likely {
		if c.technical() {
			r.metadata(c)
		} else {
			r.study(c)
		}
		return
	}
	if e := c.undoable(c.start, head{from: c.start}); e != nil {
		r.undoable(e)
		return
	}
	r.loose = append(r.loose, c)
	r.lost = true
}

// How sure it is that a question is about media that is there.
type doubt uint8

const (
	unlikely doubt = iota
	likely
	sure
)

// subject tells whether a question is about media that is there.
func (r *reading) subject(c *clause) doubt {
	if !r.anything(c) {
		return unlikely
	}
	attached := r.attached("image")+r.attached("video")+r.attached("audio") > 0
	for i := c.start; i < c.to; i++ {
		if e := c.noun(i, c.to); e != nil && c.meant(i) {
			return sure
		}
		if c.tokens[i].is("this", "it", "that", "these", "he", "she", "they", "him", "her") && (i+1 >= c.to || !c.tokens[i+1].is("service", "model", "api",
			"server", "software", "cost", "program", "site", "tool", "website")) {
			if attached {
				return sure
			}
			return likely
		}
	}
	if attached {
		return likely
	}
	return unlikely
}

// technical reports whether a question is about a file rather than about what
// it shows: how long is this video, what format is it.
func (c *clause) technical() bool {
	if c.peek("property") != nil && !c.says("people", "colour", "color") {
		return true
	}
	return c.tokens[c.start].is("how") && c.start+1 < c.to && c.tokens[c.start+1].is("long", "big", "large")
}
