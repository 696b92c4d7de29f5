package compose

import (
	"strconv"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
)

// family is the style of prompts that a model needs.
type family string

const (
	sentencesFamily family = "natural"
	tagList         family = "tags"
	ponyList        family = "pony"
	moving          family = "video"
	editing         family = "editing"
	musical         family = "music"
)

// promptingTypes are the styles that callers can ask for by name.
var promptingTypes = map[string]family{
	"flux": sentencesFamily, "sd3": sentencesFamily, "fast": sentencesFamily, "sdxl": tagList, "sd15": tagList, "pony": ponyList, "editing": editing, "video": moving,
}

// familyOf decides by the caller's choice, then by the output, then by the model.
func familyOf(a arguments, m *catalog.Model) family {
	if f, ok := promptingTypes[a.text("prompting_type")]; ok {
		return f
	}
	name := strings.ToLower(a.text("destination_model"))
	kind := ""
	if m != nil {
		name, kind = strings.ToLower(m.ID+" "+m.TierID), m.MediaType
	}
	switch a.text("target_output") {
	case "edit_prompt":
		return editing
	case "video_prompt":
		return moving
	case "model_prompt":
		switch {
		case kind == "video":
			return moving
		case kind == "audio":
			return musical
		case m != nil && m.Serves("edit_image") && !m.Serves("generate_image"):
			return editing
		}
	}
	switch {
	case strings.Contains(name, "pony"):
		return ponyList
	case strings.Contains(name, "sdxl"), strings.Contains(name, "-xl"), strings.Contains(name, "sd15"), strings.Contains(name, "illustrious"):
		return tagList
	}
	return sentencesFamily
}

// tagged is the prompt as a list of tags.
func (c *commission) tagged() string {
	list := append(c.lead(), chunks(bare(c.wish))...)
	list = append(list, chunks(c.args.text("style_prompt"))...)
	if c.manner != nil {
		list = append(list, c.manner.Tags...)
	}
	for _, tag := range c.subject.Tags {
		if c.refused(tag) || c.isArtwork() && photographic(tag) || c.settled(tag) {
			continue
		}
		list = append(list, tag)
	}
	if light := c.light(); c.setting != nil && light != "" {
		list = append(list, strings.Split(light, " with ")[0])
	}
	if c.mood != nil && !c.hasDecided("colour") {
		list = append(list, c.mood.Grade)
	}
	if r := ratio(c.args.text("aspect_ratio")); r > 0 && r < 0.8 {
		list = append(list, "vertical composition")
	}
	if c.family == tagList {
		list = append(list, "highly detailed")
	}
	return strings.Join(unique(append(list, c.additions()...)), ", ")
}

// lead is the beginning of a family's prompts.
func (c *commission) lead() []string {
	if c.family == ponyList && !strings.Contains(c.wish, "score_9") {
		return []string{"score_9", "score_8_up", "score_7_up"}
	}
	return nil
}

// settled reports whether a tag is about an aspect that the caller has decided.
func (c *commission) settled(tag string) bool {
	words := tokens(tag)
	for _, aspect := range []string{"composition", "light", "lens", "colour"} {
		if c.hasDecided(aspect) && findPhrase(words, c.lexicon.Said[aspect]) >= 0 {
			return true
		}
	}
	return c.setting != nil && findPhrase(words, c.lexicon.Said["light"]) >= 0
}

// photographic reports whether a tag is about a camera.
func photographic(tag string) bool {
	for _, word := range []string{"photograph", "mm", "lens", "depth of field", "skin", "telephoto", "macro", "exposure", "blur", "angle lens"} {
		if strings.Contains(tag, word) {
			return true
		}
	}
	return false
}

// negative is the negative prompt, for models that have one. It has nothing that
// the caller asked for.
func (c *commission) negative() string {
	var list []string
	if c.family == tagList || c.family == ponyList {
		list = []string{"lowres", "blurry", "bad anatomy", "extra fingers", "deformed", "watermark", "text", "jpeg artifacts"}
		if c.family == ponyList {
			list = append([]string{"score_4", "score_5", "score_6"}, list...)
		}
	}
	var out []string
	for _, tag := range append(list, c.limits.avoid...) {
		words := tokens(tag)
		asked := len(words) == 1 && findPhrase(c.reading.words, words) >= 0 && !c.negates(words[0])
		if c.family == editing || c.family == musical || asked || (tag == "text" && findPhrase(c.reading.words, []string{"lettering", "sign", "letters", "typography", "logo", "saying", "reads"}) >= 0) {
			continue
		}
		out = append(out, tag)
	}
	return strings.Join(unique(out), ", ")
}

// chunks are the parts of a text between its commas and stops.
func chunks(s string) []string {
	var out []string
	for _, p := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(",;\n", r) }) {
		for _, q := range strings.Split(p, ". ") {
			if q = strings.Trim(q, " ."); q != "" {
				out = append(out, q)
			}
		}
	}
	return out
}

// unique removes repeated items, in any letter case.
func unique(list []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range list {
		if k := strings.ToLower(s); s != "" && !seen[k] {
			seen[k] = true
			out = append(out, s)
		}
	}
	return out
}

// ratio reads a ratio such as 16:9; 0 when it is not one.
func ratio(s string) float64 {
	a, b, ok := strings.Cut(s, ":")
	x, err1 := strconv.ParseFloat(strings.TrimSpace(a), 64)
	y, err2 := strconv.ParseFloat(strings.TrimSpace(b), 64)
	if !ok || err1 != nil || err2 != nil || x <= 0 || y <= 0 {
		return 0
	}
	return x / y
}

// bare is a prompt without "please make me a picture of".
func bare(wish string) string {
	s := strings.TrimSpace(wish)
	for again := true; again; {
		again = false
		for _, o := range openings {
			if rest, ok := cutWords(s, o); ok {
				s, again = rest, true
			}
		}
	}
	words := strings.Fields(s)
	at := 0
	skip := func(list ...string) bool {
		if at < len(words) {
			for _, w := range list {
				if strings.EqualFold(words[at], w) {
					at++
					return true
				}
			}
		}
		return false
	}
	skip("create", "generate", "make", "draw", "paint", "render", "produce", "design", "film", "shoot")
	asked := at
	skip("me", "us")
	skip("a", "an", "the", "some")
	for skip("short", "nice", "new", "cool", "great", "beautiful", "good", "single", "quick") {
	}
	if skip("image", "picture", "pic", "photo", "photograph", "video", "clip", "images", "pictures", "photos") && skip("of", "showing", "about", "with") && at < len(words) {
		return strings.Join(words[at:], " ")
	}
	return strings.Join(words[asked:], " ")
}
