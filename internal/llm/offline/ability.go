package offline

import (
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
)

// answerCapability answers whether the model can do something: can you make videos? And
// how it is done: how do I animate a photo?
func (r *interpretation) answerCapability(c *clause) bool {
	if !c.question && !c.tokens[c.start].is("how") {
		return false
	}
	if r.answerPrice(c) {
		return true
	}
	if r.planner.guide.topicScore(c) >= 3 && r.concernsMedia(c) == unlikely && r.answerFromGuide(c) {
		return true
	}
	if n := c.howToLength(); n > 0 {
		return r.explainHow(c, c.start+n)
	}
	if !c.tokens[c.lead].is("can", "do", "could", "are", "is") || r.hasMedia(c) && c.contains("it", "this", "my") {
		return false
	}
	if c.tokens[c.lead].is("do", "are") && (c.lead+1 >= c.end || !c.tokens[c.lead+1].is("you")) {
		return false
	}
	a, n := recognize(r.planner.rules, c)
	h := c.findNounPhrase(c.start + n)
	switch {
	case a == "":
		return false
	case h.noun != nil && h.nounAt+h.noun.len == c.end && !c.matches(h.start, c.end, "det") && h.count < 3:
	case h.noun == nil && h.start+1 == c.end && strings.HasSuffix(c.tokens[h.start].text, "s"):
	case h.start >= c.end && !r.hasMedia(c):
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
func (c *clause) howToLength() int {
	switch {
	case c.start+1 >= c.end || !c.tokens[c.start].is("how"):
		return 0
	case c.tokens[c.start+1].is("to"):
		return 2
	case c.start+2 < c.end && c.tokens[c.start+1].is("do", "can", "could", "would", "should") && c.tokens[c.start+2].is("i", "you", "we", "one"):
		return 3
	}
	return 0
}

// explainHow says how something is done: by asking for it.
func (r *interpretation) explainHow(c *clause, at int) bool {
	if at >= c.end {
		return false
	}
	inner := &clause{text: c.text, lead: at, end: c.end, start: at}
	a, n := recognize(r.planner.rules, inner)
	if a == "" {
		return false
	}
	t := r.planner.toolFor(a, inner.findNounPhrase(at+n))
	if t == nil {
		return false
	}
	r.say("Just tell me, for example \"" + tidy(c.excerpt(at, c.end)) + "\", with what it should show or the media beside it. The tool for that is " + t.Name + ": " +
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
		kind := h.noun.attr("kind")
		if of := h.noun.attr("of"); of != "" {
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
