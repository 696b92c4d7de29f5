package plan

import (
	"cmp"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/kit/talk/intent"
	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// answerCapability answers whether the model can do something, and how: can you make videos? How do I animate a photo?
func (r *Interpretation) answerCapability(c *token.Clause) bool {
	if !c.Question && !c.Tokens[c.Start].Is("how") {
		return false
	}
	if r.answerPrice(c) {
		return true
	}
	if r.planner.Guide.TopicScore(c) >= 3 && r.concernsMedia(c) == unlikely && r.sayIf(r.planner.Guide.Answer(c)) {
		return true
	}
	if n := intent.HowToLength(c); n > 0 {
		return r.explainHow(c, c.Start+n)
	}
	if !c.Tokens[c.Lead].Is("can", "do", "could", "are", "is") || r.hasMedia(c) && c.Contains("it", "this", "my") {
		return false
	}
	if c.Tokens[c.Lead].Is("do", "are") && (c.Lead+1 >= c.End || !c.Tokens[c.Lead+1].Is("you")) {
		return false
	}
	a, n := intent.Recognize(r.planner.rules, c)
	h := slot.FindNounPhrase(c, c.Start+n)
	switch {
	case a == "":
		return false
	case h.Noun != nil && h.NounAt+h.Noun.Len == c.End && !c.Matches(h.Start, c.End, "det") && h.Count < 3:
	case h.Noun == nil && h.Start+1 == c.End && strings.HasSuffix(c.Tokens[h.Start].Text, "s"):
	case h.Start >= c.End && !r.hasMedia(c):
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

func (r *Interpretation) explainHow(c *token.Clause, at int) bool {
	if at >= c.End {
		return false
	}
	inner := &token.Clause{Text: c.Text, Lead: at, End: c.End, Start: at}
	a, n := intent.Recognize(r.planner.rules, inner)
	if a == "" {
		return false
	}
	t := r.planner.toolFor(a, slot.FindNounPhrase(inner, at+n))
	if t == nil {
		return false
	}
	r.say("Just tell me, for example \"" + token.Tidy(c.Excerpt(at, c.End)) + "\", with what it should show or the media beside it. " +
		"The tool for that is " + t.Name + ": " + strings.Join(strings.Fields(t.Description), " "))
	return true
}

// toolsByAct are the tools of acts that have one.
var toolsByAct = map[intent.Act]string{
	"animate": "animate_photo", "upscale": "upscale_image", "cutout": "remove_background", "segment": "segment_image", "restore": "restore_photo",
	"refine": "refine_result", "style": "apply_style",
	"edit": "edit_image", "describe": "analyze_image", "speak": "generate_speech", "stitch": "stitch_video", "extend": "extend_video",
	"subtitle": "add_subtitles", "overlay": "overlay_video", "dance": "dance_montage",
	"orbit": "orbit_video", "angle": "change_angle", "model3d": "image_to_3d", "lyrics": "compose_lyrics", "script": "compose_script",
	"enhance": "enhance_prompt", "workflow": "compose_workflow",
	"template": "compose_workflow_template", "talking-picture": "sound_to_video", "music-video": "sound_to_video", "soundtrack": "stitch_video",
	"metadata": "extract_metadata", "replace-segment": "replace_video_segment",
}

// toolsByOutput are the tools that make something new, by what they make.
var toolsByOutput = map[string]string{
	"image": "generate_image", "video": "generate_video", "music": "generate_music", "song": "generate_music", "speech": "generate_speech",
	"model": "image_to_3d", "audio": "generate_music",
}

// toolFor returns the tool for an act, nil when there is none.
func (p *Planner) toolFor(a intent.Act, h slot.NounPhrase) *catalog.Tool {
	name := toolsByAct[a]
	if a == "make" && h.Noun != nil {
		name = toolsByOutput[cmp.Or(h.Noun.Attr("of"), h.Noun.Attr("kind"))]
	}
	t, _ := p.catalog.Tool(name)
	return t
}
