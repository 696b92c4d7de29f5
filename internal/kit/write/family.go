package write

import (
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/compose/draft"
)

// promptingTypes are the styles that callers can ask for by name.
var promptingTypes = map[string]draft.Family{
	"flux": draft.Sentences, "sd3": draft.Sentences, "fast": draft.Sentences, "sdxl": draft.Tags, "sd15": draft.Tags, "pony": draft.Pony, "editing": draft.Editing, "video": draft.Video,
}

// familyOf decides by the caller's choice, then by the output, then by the model.
func familyOf(a draft.Arguments, m *catalog.Model) draft.Family {
	if f, ok := promptingTypes[a.Text("prompting_type")]; ok {
		return f
	}
	name := strings.ToLower(a.Text("destination_model"))
	kind := ""
	if m != nil {
		name, kind = strings.ToLower(m.ID+" "+m.TierID), m.MediaType
	}
	switch a.Text("target_output") {
	case "edit_prompt":
		return draft.Editing
	case "video_prompt":
		return draft.Video
	case "model_prompt":
		switch {
		case kind == "video":
			return draft.Video
		case kind == "audio":
			return draft.Music
		case m != nil && m.Serves("edit_image") && !m.Serves("generate_image"):
			return draft.Editing
		}
	}
	switch {
	case strings.Contains(name, "pony"):
		return draft.Pony
	case strings.Contains(name, "sdxl"), strings.Contains(name, "-xl"), strings.Contains(name, "sd15"), strings.Contains(name, "illustrious"):
		return draft.Tags
	}
	return draft.Sentences
}

// tagged is the prompt as a list of tags.
func (c *commission) tagged() string {
	list := append(c.lead(), chunks(bare(c.wish))...)
	list = append(list, chunks(c.args.Text("style_prompt"))...)
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
	if r := c.args.Ratio("aspect_ratio"); r > 0 && r < 0.8 {
		list = append(list, "vertical composition")
	}
	if c.family == draft.Tags {
		list = append(list, "highly detailed")
	}
	return strings.Join(unique(append(list, c.additions()...)), ", ")
}

// lead is the beginning of a family's prompts.
func (c *commission) lead() []string {
	if c.family == draft.Pony && !strings.Contains(c.wish, "score_9") {
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
	if c.family == draft.Tags || c.family == draft.Pony {
		list = []string{"lowres", "blurry", "bad anatomy", "extra fingers", "deformed", "watermark", "text", "jpeg artifacts"}
		if c.family == draft.Pony {
			list = append([]string{"score_4", "score_5", "score_6"}, list...)
		}
	}
	var out []string
	for _, tag := range append(list, c.limits.avoid...) {
		words := tokens(tag)
		asked := len(words) == 1 && findPhrase(c.reading.words, words) >= 0 && !c.negates(words[0])
		if c.family == draft.Editing || c.family == draft.Music || asked || (tag == "text" && findPhrase(c.reading.words, []string{"lettering", "sign", "letters", "typography", "logo", "saying", "reads"}) >= 0) {
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
