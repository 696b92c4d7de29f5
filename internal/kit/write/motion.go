package write

import (
	"fmt"
	"strings"

	"github.com/atelier-project/atelier/internal/prose"
)

// moved is the prompt of a clip: what is seen, what moves, what the camera does,
// what is heard, and when.
func (c *commission) moved() string {
	seconds := c.args.Number("duration_seconds")
	move, camera := c.pick("", c.subject.Motion), c.pick("camera", c.subject.Camera)
	parts := []string{c.subjectLine(), c.shape()}
	if seconds > 8 {
		// A long clip needs a development.
		third := prose.Number(float64(int(seconds) / 3))
		parts = append(parts,
			fmt.Sprintf("first %s seconds: the scene is established and %s", third, lowered(move)),
			fmt.Sprintf("then the movement builds towards its clearest moment, and in the last %s seconds it settles into a held final frame", third))
	} else {
		parts = append(parts, move)
	}
	if camera != "" {
		camera = "camera: " + camera
	}
	parts = append(parts, camera, c.light(), c.air(), c.feeling())
	if c.makesSound() {
		sound := c.subject.Sound
		if c.setting != nil {
			sound = c.setting.Sound
		}
		if sound != "" && !c.hasDecided("sound") && !c.refused(sound) {
			parts = append(parts, "sound: "+sound)
		}
	}
	if seconds > 0 && seconds <= 8 {
		parts = append(parts, fmt.Sprintf("one continuous shot of %s seconds", prose.Number(seconds)))
	}
	return prose.Paragraph(append(parts, c.additions()...)...)
}

// makesSound reports whether the model is known to make sound.
func (c *commission) makesSound() bool {
	if c.model == nil {
		return true
	}
	id := strings.ToLower(c.model.ID)
	return !strings.HasPrefix(id, "wan_v2.2") && !strings.HasPrefix(id, "happyhorse")
}

func lowered(s string) string { return strings.ToLower(s[:min(1, len(s))]) + s[min(1, len(s)):] }

// edit verbs begin an instruction.
var editVerbs = []string{
	"add", "remove", "replace", "change", "make", "turn", "put", "swap", "give", "convert", "transform", "paint", "colour", "color", "recolour", "restore", "fix", "extend", "crop", "blur",
	"brighten", "darken", "erase", "delete", "insert", "move", "rotate", "clean", "sharpen", "dress", "set", "keep", "place", "remake", "relight", "age",
}

// kept are the parts of a picture, and the words that show that an instruction is
// about them.
var kept = []struct {
	name  string
	words []string
}{
	{"the face and identity", []string{"face", "identity", "expression", "smile", "smiling", "eyes", "age", "older", "younger", "beard", "makeup", "person", "head"}},
	{"the pose", []string{"pose", "posture", "sitting", "standing", "arm", "arms", "hand", "hands", "turn around"}},
	{"clothing", []string{"dress", "shirt", "jacket", "clothes", "clothing", "outfit", "suit", "coat", "hat", "shoes", "wear", "wearing", "sweater", "costume", "uniform"}},
	{"hair", []string{"hair", "hairstyle", "blonde", "haircut"}},
	{"the background", []string{"background", "backdrop", "sky", "scene", "setting", "beach", "room", "street", "environment", "landscape", "behind", "surroundings", "weather", "snow", "rain", "sunset", "night"}},
	{"framing and perspective", []string{"framing", "crop", "angle", "zoom", "perspective", "wider", "closer", "extend"}},
	{"light and colour", []string{"light", "lighting", "colour", "color", "colours", "colors", "brighter", "darker", "night", "day", "sunset", "snow", "rain", "black and white", "relight", "sunrise", "mood", "background", "sky"}},
}

// edited is the prompt as an instruction: what to change, and what to keep.
func (c *commission) edited() string {
	wish := prose.Unstopped(c.wish)
	for _, o := range openings {
		if rest, ok := cutWords(wish, o); ok {
			wish = rest
		}
	}
	words := tokens(wish)
	if len(words) > 0 && findPhrase(words[:1], editVerbs) < 0 {
		wish = "change the image to show " + lower(wish)
	}
	whole := c.isArtwork() && findPhrase(words, []string{"turn", "convert", "transform", "make", "remake", "style"}) >= 0
	var keep []string
	for _, k := range kept {
		if findPhrase(words, k.words) >= 0 || whole && (k.name == "light and colour" || k.name == "clothing" || k.name == "hair") {
			continue
		}
		switch k.name {
		case "the face and identity":
			if c.subject.Name != "person" { // there may be no person in it
				keep = append(keep, "the main subject")
				continue
			}
		case "the pose", "clothing", "hair":
			if c.subject.Name != "person" {
				continue
			}
		}
		keep = append(keep, k.name)
	}
	parts := []string{wish}
	if style := c.args.Text("style_prompt"); style != "" {
		parts = append(parts, style)
	}
	if len(keep) > 0 {
		parts = append(parts, "keep "+prose.List(keep)+" exactly as in the source")
	}
	switch {
	case whole:
		parts = append(parts, "carry the new style through the whole picture without leaving photographic patches")
	case findPhrase(words, []string{"remove", "erase", "delete"}) >= 0:
		parts = append(parts, "fill the space with what would be behind it, matching texture and light, with no trace left")
	case findPhrase(words, kept[4].words) >= 0:
		parts = append(parts, "let the light and colour on the subject follow the new surroundings, with clean natural edges and matching perspective")
	default:
		parts = append(parts, "match the scale, light direction and shadows of the source so that the change looks as if it had always been there")
	}
	return prose.Paragraph(append(parts, c.additions()...)...)
}
