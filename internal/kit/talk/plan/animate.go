package plan

import (
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// planAnimation plans a clip that begins with a picture.
func (r *Interpretation) planAnimation(c *token.Clause, n int) {
	if r.ResolveLatest("image", c) == nil && len(r.tasksMaking("image")) == 0 {
		r.animateDescription(c, n)
		return
	}
	h := slot.FindNounPhrase(c, c.Start+n)
	if r.wantsNew(c, n) && h.Noun != nil && h.Noun.Attr("kind") == "video" && !r.usesPicture(c, h.NounAt+h.Noun.Len) {
		r.planCreation(c, n)
		return
	}
	r.animatePicture(c, slot.NounPhrase{Start: c.Start + n})
}

// animatePicture plans the clip once it is clear which picture is meant.
func (r *Interpretation) animatePicture(c *token.Clause, h slot.NounPhrase) {
	t := r.newTask("animate_photo", "animate")
	if t == nil {
		return
	}
	refs := r.resolveMedia(c, "image")
	c.Use(r.labelTokens[0], r.labelTokens[1])
	r.fillEndImage(c, t, &refs)
	r.FillArguments(c, t)
	t.Args["prompt"] = readMotion(c, h)
	text := c.Lexicon.Parse(t.Args["prompt"].(string))
	if e := text.Match(0, len(text.Tokens), "moving"); e != nil && e.Len == len(strings.Fields(text.Source)) &&
		!strings.Contains("walk run fly jump blink wave wink nod swim", e.Base) {
		t.Args["prompt"] = "" // it says only that something moves
	}
	if t.Args["prompt"] == "" {
		t.Args["prompt"] = "gentle, natural motion"
		t.Subject = "your picture"
		if label := firstLabel(refs); label != "" {
			t.Args["prompt"] = label + ", gentle natural motion"
			t.Subject = label
		}
	}
	if len(refs) > 1 {
		if len(refs) > 16 {
			refs = refs[:16]
		}
		t.SetMedia("sourceImageIndices", refs...)
		r.addTask(t)
		return
	}
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}

// fillEndImage reads a clip from one picture to another.
func (r *Interpretation) fillEndImage(c *token.Clause, t *Task, refs *[]MediaRef) {
	joined := c.Contains("to", "into", "between", "and", "morph", "end", "ending", "transition")
	if !joined || !(c.Contains("morph", "end", "ending", "ends", "transition", "between") || c.Contains("from") && c.Contains("to")) {
		return
	}
	pool := r.resolveAll(c, "image")
	if len(pool) < 2 {
		for _, it := range r.state.Media.Filter("image", true) {
			pool = append(pool, MediaRef{Item: it})
		}
	}
	if len(pool) < 2 || len(pool) > 2 && !c.Contains("first", "second") {
		return
	}
	*refs = pool[:1]
	t.SetMedia("endImageIndex", pool[1])
	t.Args["frameRole"] = "both"
	for i := c.Start; i < c.End; i++ {
		if c.Match(i, i+1, "framing") != nil {
			c.Use(i, i+1)
		}
	}
}

// readMotion returns what happens in a clip, without the words that name its picture.
func readMotion(c *token.Clause, h slot.NounPhrase) string {
	c.Use(c.Start, h.Start)
	at := h.Start
	if h.Noun != nil {
		c.Use(h.Start, h.NounAt+h.Noun.Len)
		at = h.NounAt + h.Noun.Len
	}
	for i := at; i < c.End; i++ { // skip the name of the picture
		tok := c.Tokens[i]
		if c.Used[i] {
			continue
		}
		e := c.MatchNoun(i, c.End)
		switch {
		case e != nil && (e.Attr("kind") == "image" || e.Attr("kind") == "video"):
			c.Use(i, i+e.Len)
			i += e.Len - 1
		case tok.Is("the", "my", "a", "an") && !beginsMediaName(c, i) && !startsOrdinal(c, i+1):
			return c.Unused(i, c.End)
		case tok.Kind == token.Punct || c.Match(i, i+1, "source") != nil:
			c.Use(i, i+1)
		case c.Matches(i, c.End, "ordinal", "upload"):
			c.Use(i, i+1)
		default:
			return c.Unused(at, c.End)
		}
	}
	return c.Unused(at, c.End)
}

// startsOrdinal reports whether a token begins a name of media by its number: one, the second.
func startsOrdinal(c *token.Clause, i int) bool {
	return i < c.End && (c.Tokens[i].Is("one", "ones", "short") || c.Matches(i, c.End, "ordinal", "noun", "upload"))
}

// useLeadIn marks names of media and the given words as used, up to the first other word.
func useLeadIn(c *token.Clause, small ...string) {
	for i := c.Start; i < c.End; i++ {
		e := c.MatchNoun(i, c.End)
		switch {
		case e != nil:
			c.Use(i, i+e.Len)
		case c.Tokens[i].Is("a", "an", "the") && !c.Used[i] && !namesMediaSoon(c, i+1):
			return
		case c.Used[i] || c.Tokens[i].Is(small...):
			c.Use(i, i+1)
		default:
			return
		}
	}
}

// namesMediaSoon reports whether a name of media, a number or a used token follows after some adjectives.
func namesMediaSoon(c *token.Clause, i int) bool {
	for k := i; k < min(c.End, i+4); k++ {
		if c.Used[k] || c.MatchNoun(k, c.End) != nil || c.Tokens[k].Is("part", "section", "segment", "bit", "seconds", "little", "scene") {
			return true
		}
		if !c.Matches(k, c.End, "adjective", "ordinal", "number") {
			return false
		}
	}
	return false
}

// animateDescription plans a clip of what is described, when there is no picture.
func (r *Interpretation) animateDescription(c *token.Clause, n int) {
	h := slot.FindNounPhrase(c, c.Start+n)
	at := h.Start
	if at < c.End && (c.Matches(at, c.End, "pronoun") || c.Tokens[at].Is("the", "my", "this", "these")) || h.Noun != nil &&
		h.Noun.Attr("kind") == "image" {
		if t := r.newTask("animate_photo", "animate"); t != nil {
			r.FillArguments(c, t)
			t.Args["prompt"] = readMotion(c, h)
			if t.Args["prompt"] == "" {
				t.Args["prompt"] = "gentle, natural motion"
			}
			r.ask(t, "image", r.planner.Templates.AskForMedia("animate_photo", "image"))
		}
		return
	}
	r.planVideo(c, h)
}
