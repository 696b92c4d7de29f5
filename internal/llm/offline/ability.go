package offline

import (
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
)

// capable answers whether the model can do something: can you make videos? And
// how it is done: how do I animate a photo?
func (r *reading) capable(c *clause) bool {
	if !c.question && !c.tokens[c.start].is("how") {
		return false
	}
	if r.price(c) {
		return true
	}
	if r.m.guide.topicScore(c) >= 3 && r.subject(c) == unlikely && r.answer(c) {
		return true
	}
	if n := c.howTo(); n > 0 {
		return r.explains(c, c.start+n)
	}
	if !c.tokens[c.from].is("can", "do", "could", "are", "is") || r.anything(c) && c.says("it", "this", "my") {
		return false
	}
	if c.tokens[c.from].is("do", "are") && (c.from+1 >= c.to || !c.tokens[c.from+1].is("you")) {
		return false
	}
	a, n := find(r.m.rules, c)
	h := c.head(c.start + n)
	switch {
	case a == "":
		return false
	case h.noun != nil && h.at+h.noun.words == c.to && !c.has(h.from, c.to, "det") && h.count < 3:
	case h.noun == nil && h.from+1 == c.to && strings.HasSuffix(c.tokens[h.from].low, "s"):
	case h.from >= c.to && !r.anything(c):
	default:
		return false
	}
	t := r.m.performer(a, h)
	if t == nil {
		return false
	}
	r.say("Yes. " + t.Name + ": " + strings.Join(strings.Fields(t.Description), " ") + " Just tell me what you would like.")
	return true
}

// howTo is how many tokens of "how do I" a clause begins with.
func (c *clause) howTo() int {
	switch {
	case c.start+1 >= c.to || !c.tokens[c.start].is("how"):
		return 0
	case c.tokens[c.start+1].is("to"):
		return 2
	case c.start+2 < c.to && c.tokens[c.start+1].is("do", "can", "could", "would", "should") && c.tokens[c.start+2].is("i", "you", "we", "one"):
		return 3
	}
	return 0
}

// explains says how something is done: by asking for it.
func (r *reading) explains(c *clause, at int) bool {
	if at >= c.to {
		return false
	}
	inner := &clause{text: c.text, from: at, to: c.to, start: at}
	a, n := find(r.m.rules, inner)
	if a == "" {
		return false
	}
	t := r.m.performer(a, inner.head(at+n))
	if t == nil {
		return false
	}
	r.say("Just tell me, for example \"" + tidy(c.words(at, c.to)) + "\", with what it should show or the media beside it. The tool for that is " + t.Name + ": " +
		strings.Join(strings.Fields(t.Description), " "))
	return true
}

// performers are the tools of acts that have one.
var performers = map[act]string{
	"animate": "animate_photo", "upscale": "upscale_image", "cutout": "remove_background", "select": "segment_image", "restore": "restore_photo",
	"refine": "refine_result", "style": "apply_style",
	"edit": "edit_image", "describe": "analyze_image", "speak": "generate_speech", "stitch": "stitch_video", "extend": "extend_video",
	"subtitle": "add_subtitles", "overlay": "overlay_video", "dance": "dance_montage",
	"orbit": "orbit_video", "angle": "change_angle", "solid": "image_to_3d", "lyrics": "compose_lyrics", "script": "compose_script",
	"enhance": "enhance_prompt", "workflow": "compose_workflow",
	"template": "compose_workflow_template", "talking": "sound_to_video", "musicvideo": "sound_to_video", "soundtrack": "stitch_video",
	"metadata": "extract_metadata", "patch": "replace_video_segment",
}

// producers are the tools that make something new, by what they make.
var producers = map[string]string{
	"image": "generate_image", "video": "generate_video", "music": "generate_music", "song": "generate_music", "speech": "generate_speech",
	"model": "image_to_3d", "audio": "generate_music",
}

// performer is the tool that does what an act asks for, nil when there is none.
func (p *planner) performer(a act, h head) *catalog.Tool {
	name := performers[a]
	if a == "make" && h.noun != nil {
		kind := h.noun.attr("kind")
		if of := h.noun.attr("of"); of != "" {
			kind = of
		}
		name = producers[kind]
	}
	t, ok := p.catalog.Tool(name)
	if !ok {
		return nil
	}
	return t
}
