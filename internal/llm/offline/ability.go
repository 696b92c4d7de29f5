package offline

import (
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm/offline/token"
)

// answerCapability answers whether the model can do something: can you make videos? And
// how it is done: how do I animate a photo?
func (r *interpretation) answerCapability(c *token.Clause) bool {
	if !c.Question && !c.Tokens[c.Start].Is("how") {
		return false
	}
	if r.answerPrice(c) {
		return true
	}
	if r.planner.guide.topicScore(c) >= 3 && r.concernsMedia(c) == unlikely && r.answerFromGuide(c) {
		return true
	}
	if n := howToLength(c); n > 0 {
		return r.explainHow(c, c.Start+n)
	}
	if !c.Tokens[c.Lead].Is("can", "do", "could", "are", "is") || r.hasMedia(c) && c.Contains("it", "this", "my") {
		return false
	}
	if c.Tokens[c.Lead].Is("do", "are") && (c.Lead+1 >= c.End || !c.Tokens[c.Lead+1].Is("you")) {
		return false
	}
	a, n := recognize(r.planner.rules, c)
	h := findNounPhrase(c, c.Start+n)
	switch {
	case a == "":
		return false
	case h.noun != nil && h.nounAt+h.noun.Len == c.End && !c.Matches(h.start, c.End, "det") && h.count < 3:
	case h.noun == nil && h.start+1 == c.End && strings.HasSuffix(c.Tokens[h.start].Text, "s"):
	case h.start >= c.End && !r.hasMedia(c):
	default:
		return false
	}
	t := r.planner.toolFor(a, h)
	if t == nil {
		return false
	}
	r.say("Yes. " + t.Name + ": " + strings.Join(strings.Fields(t.Description), " ") + " Just tell me what you would like.")
	return true
}

// howToLength is how many tokens of "how do I" a clause begins with.
func howToLength(c *token.Clause) int {
	switch {
	case c.Start+1 >= c.End || !c.Tokens[c.Start].Is("how"):
		return 0
	case c.Tokens[c.Start+1].Is("to"):
		return 2
	case c.Start+2 < c.End && c.Tokens[c.Start+1].Is("do", "can", "could", "would", "should") && c.Tokens[c.Start+2].Is("i", "you", "we", "one"):
		return 3
	}
	return 0
}

// explainHow says how something is done: by asking for it.
func (r *interpretation) explainHow(c *token.Clause, at int) bool {
	if at >= c.End {
		return false
	}
	inner := &token.Clause{Text: c.Text, Lead: at, End: c.End, Start: at}
	a, n := recognize(r.planner.rules, inner)
	if a == "" {
		return false
	}
	t := r.planner.toolFor(a, findNounPhrase(inner, at+n))
	if t == nil {
		return false
	}
	r.say("Just tell me, for example \"" + token.Tidy(c.Excerpt(at, c.End)) + "\", with what it should show or the media beside it. The tool for that is " + t.Name + ": " +
		strings.Join(strings.Fields(t.Description), " "))
	return true
}

// toolsByAct are the tools of acts that have one.
var toolsByAct = map[act]string{
	"animate": "animate_photo", "upscale": "upscale_image", "cutout": "remove_background", "select": "segment_image", "restore": "restore_photo",
	"refine": "refine_result", "style": "apply_style",
	"edit": "edit_image", "describe": "analyze_image", "speak": "generate_speech", "stitch": "stitch_video", "extend": "extend_video",
	"subtitle": "add_subtitles", "overlay": "overlay_video", "dance": "dance_montage",
	"orbit": "orbit_video", "angle": "change_angle", "solid": "image_to_3d", "lyrics": "compose_lyrics", "script": "compose_script",
	"enhance": "enhance_prompt", "workflow": "compose_workflow",
	"template": "compose_workflow_template", "talking": "sound_to_video", "musicvideo": "sound_to_video", "soundtrack": "stitch_video",
	"metadata": "extract_metadata", "patch": "replace_video_segment",
}

// toolsByOutput are the tools that make something new, by what they make.
var toolsByOutput = map[string]string{
	"image": "generate_image", "video": "generate_video", "music": "generate_music", "song": "generate_music", "speech": "generate_speech",
	"model": "image_to_3d", "audio": "generate_music",
}

// toolFor is the tool that does what an act asks for, nil when there is none.
func (p *planner) toolFor(a act, h nounPhrase) *catalog.Tool {
	name := toolsByAct[a]
	if a == "make" && h.noun != nil {
		kind := h.noun.Attr("kind")
		if of := h.noun.Attr("of"); of != "" {
			kind = of
		}
		name = toolsByOutput[kind]
	}
	t, ok := p.catalog.Tool(name)
	if !ok {
		return nil
	}
	return t
}
