package plan

import (
	"maps"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/kit/talk/intent"
	"github.com/atelier-project/atelier/internal/kit/talk/phrase"
	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// planAnalysis plans the analysis of a picture or clip, with the question as it was asked.
func (r *Interpretation) planAnalysis(c *token.Clause, _ int) {
	if r.answerPrice(c) {
		return
	}
	kind, refs := r.resolveKind(c, "image", "video", "audio")
	switch {
	case kind == "audio" && refs != nil:
		r.planInspection("audio", refs)
		return
	case kind == "video" && refs != nil && c.Tokens[c.Start].Is("caption"):
		r.planSubtitles(c, 1)
		return
	case kind == "video" && refs != nil:
		t := r.newTask("analyze_video", "describe")
		if t == nil {
			return
		}
		t.Args["query"] = readQuery(c)
		t.Args["analysisType"] = chooseVideoAnalysis(c)
		fillDetailed(c, t)
		r.addForMedia(t, "sourceVideoIndex", "video", refs)
		return
	case refs == nil && c.Contains("text", "article", "book", "email", "essay", "page", "novel", "chapter"):
		r.say(r.planner.Templates.Refusals["text"])
		return
	case refs == nil && c.Match(c.Start, c.End, "verb", "learn", "describe") != nil && c.MatchNoun(c.End-1, c.End) == nil &&
		r.sayIf(r.planner.Guide.Answer(c)):
		return
	}
	t := r.newTask("analyze_image", "describe")
	if t == nil {
		return
	}
	t.Args["query"] = readQuery(c)
	t.Args["analysisType"] = chooseImageAnalysis(c)
	fillDetailed(c, t)
	if t.Args["analysisType"] == "compare" {
		pair := r.resolveAll(c, "image")
		if len(pair) < 2 {
			pair = nil
			for _, it := range r.state.Media.Items {
				if it.Kind == "image" {
					pair = append(pair, MediaRef{Item: it})
				}
			}
		}
		if len(pair) < 2 {
			r.ask(t, "image", "I need two pictures to compare. Send them, or ask me to make them.")
			return
		}
		t.SetMedia("compareImageIndex", pair[1])
		refs = pair[:1]
	}
	if refs == nil && c.Match(c.Start, c.End, "verb", "learn") != nil {
		if e := findUnsupported(c, c.Start, slot.NounPhrase{Start: c.Start}); e != nil {
			r.refuse(e)
			return
		}
		r.notUnderstood = true
		r.unresolved = append(r.unresolved, c)
		return
	}
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}

// readQuery returns a question as it was asked.
func readQuery(c *token.Clause) string {
	q := strings.Join(strings.Fields(c.Excerpt(c.Start, c.End)), " ")
	if c.Question {
		q += "?"
	}
	return q
}

func fillDetailed(c *token.Clause, t *Task) {
	if c.Contains("detail", "detailed", "details", "thoroughly", "everything", "fully") {
		t.Args["detailed"] = true
	}
}

// chooseImageAnalysis returns the type of analysis for a question about a picture.
func chooseImageAnalysis(c *token.Clause) string {
	switch {
	case c.Contains("compare", "difference", "differences", "differ"):
		return "compare"
	case c.Contains("document", "invoice", "receipt", "form"):
		return "document"
	case c.Contains("text", "read", "say", "says", "written", "writing", "sign", "ocr", "transcribe", "letters", "words"):
		return "ocr"
	case c.Contains("many", "objects", "count", "things", "object"):
		return "objects"
	case c.Contains("describe", "caption", "what's", "what") && !c.Contains("colour", "color", "why", "who"):
		return "describe"
	}
	return "general"
}

// chooseVideoAnalysis returns the type of analysis for a question about a clip.
func chooseVideoAnalysis(c *token.Clause) string {
	switch {
	case c.Contains("scenes", "scene", "shots", "cuts"):
		return "scene"
	case c.Contains("timeline", "when", "minute", "second"):
		return "timeline"
	case c.Contains("doing", "happens", "happening", "action", "actions", "do"):
		return "action"
	case c.Contains("text", "read", "written", "sign", "subtitles"):
		return "ocr"
	case c.Contains("summarise", "summarize", "summary", "describe", "sum"):
		return "summary"
	}
	return "general"
}

func (r *Interpretation) planMetadata(c *token.Clause, _ int) {
	kind, refs := r.resolveKind(c, "image", "video", "audio")
	r.planInspection(kind, refs)
}

func (r *Interpretation) planInspection(kind string, refs []MediaRef) {
	t := r.newTask("extract_metadata", "metadata")
	if t == nil {
		return
	}
	t.Args["mediaType"] = kind
	argument := map[string]string{"image": "sourceImageIndex", "video": "sourceVideoIndex", "audio": "audioSourceIndex"}[kind]
	if refs == nil {
		r.ask(t, kind, "Which file do you mean? Send it with your message.")
		return
	}
	r.addForMedia(t, argument, kind, refs[:1])
}

// answerQuestion answers a question about media or about the service.
func (r *Interpretation) answerQuestion(c *token.Clause) {
	if r.answerPrice(c) || r.describeLastCalls(c) {
		return
	}
	about := r.concernsMedia(c)
	if about == certain && intent.AsksForFileFacts(c) {
		r.planMetadata(c, 0)
		return
	}
	if about == certain {
		r.planAnalysis(c, 0)
		return
	}
	if r.sayIf(r.planner.Guide.Answer(c)) {
		return
	}
	if about == likely {
		if intent.AsksForFileFacts(c) {
			r.planMetadata(c, 0)
		} else {
			r.planAnalysis(c, 0)
		}
		return
	}
	if e := findUnsupported(c, c.Start, slot.NounPhrase{Start: c.Start}); e != nil {
		r.refuse(e)
		return
	}
	r.unresolved = append(r.unresolved, c)
	r.notUnderstood = true
}

// certainty is how certain it is that a question is about existing media.
type certainty uint8

const (
	unlikely certainty = iota
	likely
	certain
)

// concernsMedia returns how certain it is that a question is about existing media.
func (r *Interpretation) concernsMedia(c *token.Clause) certainty {
	if !r.hasMedia(c) {
		return unlikely
	}
	attached := r.countAttached("image")+r.countAttached("video")+r.countAttached("audio") > 0
	for i := c.Start; i < c.End; i++ {
		if e := c.MatchNoun(i, c.End); e != nil && refersToExisting(c, i) {
			return certain
		}
		if c.Tokens[i].Is("this", "it", "that", "these", "he", "she", "they", "him", "her") && (i+1 >= c.End || !c.Tokens[i+1].Is("service", "model", "api",
			"server", "software", "cost", "program", "site", "tool", "website")) {
			if attached {
				return certain
			}
			return likely
		}
	}
	if attached {
		return likely
	}
	return unlikely
}

// describeLastCalls answers which model and prompt were used.
func (r *Interpretation) describeLastCalls(c *token.Clause) bool {
	if len(r.state.Last) == 0 || !c.Contains("did", "was", "were", "used") || !c.Contains("model", "models", "prompt", "settings", "tool",
		"tools", "arguments", "parameters", "size", "seed") {
		return false
	}
	var lines []string
	for _, t := range r.state.Last {
		line := "I called " + t.Tool.Name
		args := maps.Clone(t.Args)
		if settled, _, err := r.planner.FitArguments(t, args, catalog.Facts{}); err == nil {
			if step, err := r.planner.catalog.Step(t.Tool.Name, settled, catalog.Facts{}); err == nil && step.Model != nil {
				line += ", which uses " + step.Model.Name
			}
		}
		if prompt, ok := t.Args["prompt"].(string); ok {
			line += ", with the prompt \"" + phrase.Shorten(prompt, 200) + "\""
		}
		lines = append(lines, line+".")
	}
	r.say(strings.Join(lines, " "))
	return true
}
