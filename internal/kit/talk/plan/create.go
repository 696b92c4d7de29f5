package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// planCreation plans something new: a picture, a clip, music, a song, speech or a 3D model. A request about existing
// media becomes an edit.
func (r *Interpretation) planCreation(c *token.Clause, n int) {
	verb := c.Match(c.Start, c.End, "verb")
	if e := c.MatchNoun(c.Start, c.End); e != nil && c.Start+e.Len < c.End && c.Tokens[c.Start+e.Len].Is("of", "showing") {
		verb, n = nil, 0 // "a sketch of …" is a noun
	}
	h := slot.FindNounPhrase(c, c.Start+n)
	if e := findUnsupported(c, c.Start, h); e != nil {
		r.refuse(e)
		return
	}
	kind := ""
	if verb != nil {
		kind = verb.Attr("kind")
	}
	if h.Noun != nil {
		kind = cmp.Or(h.Noun.Attr("of"), h.Noun.Attr("kind"))
	}
	wish := c.Match(c.Start, c.End, "wish") != nil && h.Noun == nil
	if wish && r.sayIf(r.planner.Guide.Answer(c)) {
		return
	}
	if h.Noun == nil && r.refersToMedia(c, h.Start) {
		r.planEdit(c, n)
		return
	}
	switch kind {
	case "video":
		r.planVideo(c, h)
	case "music", "audio":
		if c.Contains("saying", "says", "reading", "speaking") && c.CountQuotations() > 0 {
			r.planSpeech(c, n)
		} else if c.Peek("vocal", "some") != nil {
			r.planSong(c, h)
		} else {
			r.planMusic(c, h)
		}
	case "song":
		r.planSong(c, h)
	case "speech":
		r.planSpeech(c, n)
	case "model":
		r.planNewModel3D(c, h)
	default:
		r.planImage(c, h)
	}
}

// refersToMedia reports whether existing media is meant at a token: it, him, the sky.
func (r *Interpretation) refersToMedia(c *token.Clause, i int) bool {
	if i >= c.End {
		return false
	}
	if i+1 < c.End && c.Tokens[i].Is("me", "us") && c.Tokens[i+1].Is("look", "smile", "into", "younger", "older", "wear", "hold", "fly", "sit", "stand",
		"laugh", "taller", "thinner") {
		return r.hasMedia(c) // make me look like …
	}
	if c.Matches(i, c.End, "pronoun") && !c.Tokens[i].Is("me", "all", "each") {
		e := c.Match(i, c.End, "pronoun")
		next := i + e.Len
		if c.Tokens[i].Is("this", "that", "these", "those", "her") && next < c.End && c.Tokens[next].Kind == token.Word &&
			!c.Matches(next, c.End, "prep", "adjective", "style") {
			return r.hasMedia(c)
		}
		return true
	}
	if c.Tokens[i].Is("the", "my", "his", "its", "their", "our", "this", "that") {
		return r.hasMedia(c)
	}
	return false
}

func (r *Interpretation) hasMedia(c *token.Clause) bool {
	kinds := []string{"image", "video", "audio", "model"}
	return slices.ContainsFunc(kinds, func(kind string) bool { return r.ResolveLatest(kind, c) != nil })
}

func (r *Interpretation) planImage(c *token.Clause, h slot.NounPhrase) {
	if r.planFromUpload(c, h) {
		return
	}
	t := r.newTask("generate_image", "make")
	if t == nil {
		return
	}
	transparent := takeTransparency(c)
	r.fillStartImage(c, t)
	r.FillArguments(c, t)
	t.setCount(h)
	parts := splitEnumeration(c, h)
	wild := c.Peek("surprise")
	prompt := slot.ReadPrompt(c, h)
	if wild != nil && strings.Count(prompt, " ") <= wild.Len {
		prompt = r.planner.Templates.PickIdea(c.Source)
	}
	if parts != nil {
		for _, p := range parts {
			one := t.clone()
			one.Args["prompt"], one.Subject = p, p
			delete(one.Args, "numberOfVariations")
			r.addImage(one, transparent)
		}
		return
	}
	if announcesList(c, prompt) {
		prompt = ""
	}
	t.Args["prompt"] = prompt
	if prompt == "" {
		r.addOrAsk(t, "prompt", "What should the picture show?")
		return
	}
	r.addImage(t, transparent)
}

// addImage adds a picture, and the removal of its background where the model cannot make it transparent.
func (r *Interpretation) addImage(t *Task, transparent bool) {
	r.addTask(t)
	if !transparent {
		return
	}
	if model, _ := t.Args["model"].(string); strings.HasPrefix(model, "gpt-image") {
		t.Args["gptImageBackground"] = "transparent"
		return
	}
	for i := range t.OutputCount() {
		if cut := r.newTask("remove_background", "cutout"); cut != nil {
			cut.Subject = t.Subject
			cut.SetMedia("sourceImageIndex", MediaRef{Task: t, Nth: i})
			r.addTask(cut)
		}
	}
}

func takeTransparency(c *token.Clause) bool {
	for i := c.Start; i+1 < c.End; i++ {
		if c.Tokens[i].Is("transparent") && c.Tokens[i+1].Is("background", "png", "backdrop") {
			c.Use(i, i+2)
			c.UseBefore(i, "on", "with", "a", "an", "and", "the", "as", "in", "has", "have")
			return true
		}
	}
	return false
}

func (t *Task) setCount(h slot.NounPhrase) {
	if h.Count > 1 {
		t.setArgument("numberOfVariations", t.clamp("numberOfVariations", float64(h.Count), ""))
	}
}

// splitEnumeration splits a list that is as long as the number asked for: three pictures: a fox, a bear and an owl.
func splitEnumeration(c *token.Clause, h slot.NounPhrase) []string {
	if h.Count < 2 || h.Noun == nil {
		return nil
	}
	at := h.NounAt + h.Noun.Len
	if at >= c.End || !c.Tokens[at].Is(":") {
		return nil
	}
	var parts []string
	for _, piece := range strings.Split(c.Source[c.Tokens[at].End:c.Tokens[c.End-1].End], ",") {
		for _, one := range token.SplitAtWords(piece, "and") {
			if one = token.Tidy(one); one != "" {
				parts = append(parts, one)
			}
		}
	}
	if len(parts) != h.Count {
		return nil
	}
	return parts
}

// announcesList reports whether a description only says that a list follows.
func announcesList(c *token.Clause, prompt string) bool {
	if prompt == "" {
		return true
	}
	t := c.Lexicon.Parse(prompt)
	e := t.Match(0, len(t.Tokens), "list-follows")
	return e != nil && len(t.Tokens)-e.Len <= 1
}

func (r *Interpretation) planVideo(c *token.Clause, h slot.NounPhrase) {
	if h.Noun != nil && r.usesPicture(c, h.NounAt+h.Noun.Len) {
		r.animatePicture(c, h)
		return
	}
	t := r.newTask("generate_video", "make")
	if t == nil {
		return
	}
	r.fillReferenceImages(c, t)
	r.FillArguments(c, t)
	t.setCount(h)
	wild := c.Peek("surprise")
	prompt := slot.ReadPrompt(c, h)
	if wild != nil && strings.Count(prompt, " ") <= wild.Len {
		prompt = r.planner.Templates.PickIdea(c.Source)
	}
	if announcesList(c, prompt) {
		prompt = ""
	}
	t.Args["prompt"] = prompt
	r.addOrAsk(t, "prompt", "What should happen in the clip?")
}

// usesPicture reports whether a clip should be made of an existing picture: of my photo, of this, of him.
func (r *Interpretation) usesPicture(c *token.Clause, at int) bool {
	for i := at; i < min(c.End, at+4); i++ {
		if !c.Tokens[i].Is("of", "from", "with", "using", "out", "based", "on") {
			continue
		}
		next := i + 1
		if next >= c.End || r.ResolveLatest("image", c) == nil {
			return false
		}
		if c.Tokens[next].Is("it", "this", "him", "them", "these", "both") || c.Tokens[next].Is("my", "this", "that", "the", "these") &&
			r.canBePicture(c, next) {
			return true
		}
	}
	return false
}

// canBePicture reports whether a noun phrase can mean an existing picture: it names media, an upload of this message,
// or a label.
func (r *Interpretation) canBePicture(c *token.Clause, i int) bool {
	for k := i; k < min(c.End, i+5); k++ {
		if e := c.MatchNoun(k, c.End); e != nil && e.Attr("kind") == "image" {
			return true
		}
	}
	if c.Tokens[i].Is("my", "this", "that") && r.countAttached("image") > 0 {
		return true
	}
	return r.findByLabel(c, i, "image") != nil
}

// planFromUpload plans an edit of the attached picture, when the words are about what it shows: my dog on the moon.
func (r *Interpretation) planFromUpload(c *token.Clause, h slot.NounPhrase) bool {
	if r.countAttached("image") == 0 {
		return false
	}
	for i := h.Start; i < c.End; i++ {
		tok := c.Tokens[i]
		if tok.Is("my", "this", "me", "him", "it", "attached", "uploaded") && !(tok.Is("me") && i == h.Start) || tok.Is("her") {
			if h.Noun == nil || i > h.NounAt {
				t := r.newTask("edit_image", "edit")
				if t == nil {
					return true
				}
				refs := r.resolveMedia(c, "image")
				r.FillArguments(c, t)
				t.setCount(h)
				t.Args["prompt"] = slot.ReadPrompt(c, h)
				r.addForMedia(t, "sourceImageIndex", "image", refs)
				return true
			}
		}
	}
	return false
}

// fillStartImage reads which picture a new one starts from: based on the second one, starting from my sketch.
func (r *Interpretation) fillStartImage(c *token.Clause, t *Task) {
	for i := c.Start; i+1 < c.End; i++ {
		n := 0
		switch {
		case c.Tokens[i].Is("based", "building") && c.Tokens[i+1].Is("on"):
			n = 2
		case c.Tokens[i].Is("starting", "start", "made", "created") && c.Tokens[i+1].Is("from", "with"):
			n = 2
		case c.Tokens[i].Is("similar") && c.Tokens[i+1].Is("to"):
			n = 2
		case c.Tokens[i].Is("from", "like", "using") && c.Tokens[i+1].Is("my", "this", "that", "the"):
			n = 1
		default:
			continue
		}
		end := i + n
		for end < c.End && end < i+n+5 && c.MatchNoun(end, c.End) == nil && !c.Matches(end, c.End, "pronoun") {
			end++
		}
		if end >= c.End || r.ResolveLatest("image", c) == nil {
			continue
		}
		if e := c.MatchNoun(end, c.End); e != nil && e.Attr("kind") != "image" {
			continue
		}
		refs := r.resolveMedia(c, "image")
		if len(refs) != 1 {
			continue
		}
		step := 1
		if e := c.MatchNoun(end, c.End); e != nil {
			step = e.Len
		}
		t.SetMedia("sourceImageIndex", refs...)
		c.Use(i, end+step)
		return
	}
}
