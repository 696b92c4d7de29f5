package plan

import "github.com/atelier-project/atelier/internal/kit/talk/token"

func (r *Interpretation) planStyle(c *token.Clause, _ int) {
	kind, refs := r.resolveKind(c, "image", "video")
	if refs == nil && r.changeUnmade(c) {
		return
	}
	if kind == "video" {
		before := len(r.Tasks)
		r.planVideoEdit(c, refs)
		for _, t := range r.Tasks[before:] {
			if s := readStyle(c); s != "" && t.Args["controlMode"] == nil {
				t.Args["prompt"], t.Subject = s, s
			}
		}
		return
	}
	t := r.newTask("apply_style", "style")
	if t == nil {
		return
	}
	r.FillArguments(c, t)
	t.Args["prompt"] = readStyle(c)
	if t.Args["prompt"] == "" {
		r.ask(t, "prompt", "Which style should it have? Watercolour, anime, pencil, oil, pixel art and many others are possible.")
		return
	}
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}

// readStyle returns the style that a clause wants: what follows into, as or like, or the style by name.
func readStyle(c *token.Clause) string {
	for i := c.Start + c.VerbLength(); i < c.End; i++ {
		if c.Tokens[i].Is("into", "as", "like") && i+1 < c.End && i > c.Start {
			return c.Unused(i+1, c.End)
		}
		if c.Tokens[i].Is("in", "to") && i+1 < c.End && i > c.Start && (c.Tokens[i+1].Is("the", "a", "an") || c.Matches(i+1, c.End, "style")) {
			return token.TrimFirstWords(c.Unused(i+1, c.End), "the", "style", "of")
		}
	}
	for i := c.Start; i < c.End; i++ {
		if e := c.Match(i, c.End, "style"); e != nil && !c.Used[i] {
			end := i + e.Len
			for end < c.End && (c.Matches(end, c.End, "style") || c.Tokens[end].Is("style", "and", "painting", "drawing", "look")) {
				end++
			}
			return token.Tidy(c.Excerpt(i, end))
		}
	}
	at := c.Start
	if e := c.Match(at, c.End, "verb"); e != nil {
		at += e.Len
	}
	return token.TrimFirstWords(c.Unused(at, c.End), "the", "a", "an", "style", "of", "it", "this", "to", "picture", "image", "photo", "my")
}
