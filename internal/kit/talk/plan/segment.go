package plan

import (
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/phrase"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

func (r *Interpretation) planCutout(c *token.Clause, _ int) {
	t := r.newTask("remove_background", "cutout")
	if t == nil {
		return
	}
	if c.Contains("mask", "matte") {
		t.Args["applyMask"] = false
	}
	if url := c.TakeURL(); url != "" {
		t.Args["source_image_url"] = url
		r.addTask(t)
		return
	}
	r.addForMedia(t, "sourceImageIndex", "image", r.resolveMedia(c, "image"))
}

// planSegmentation plans a mask or cut-out of a named object.
func (r *Interpretation) planSegmentation(c *token.Clause, n int) {
	refs := r.resolveMedia(c, "image")
	url := c.TakeURL()
	if refs == nil && url == "" && c.Match(c.Start, c.End, "verb", "find") != nil {
		r.notUnderstood = true
		r.unresolved = append(r.unresolved, c)
		return
	}
	t := r.newTask("segment_image", "segment")
	if t == nil {
		return
	}
	c.UseClosing()
	apply := c.Match(c.Start, c.End, "verb", "cut") != nil || c.Tokens[c.Start].Is("isolate", "cut", "crop")
	c.Use(c.Start, c.Start+n)
	for i := c.Start; i < c.End; i++ {
		switch {
		case c.Tokens[i].Is("from", "in", "on", "of", "out") && (i+1 >= c.End || beginsMediaName(c, i+1)):
			c.Use(i, c.End)
		case c.Tokens[i].Is("mask", "masks") && i < c.Start+n+3:
			c.Use(i, i+1)
		}
	}
	what := token.TrimFirstWords(c.Unused(c.Start, c.End), "the", "a", "an", "all", "every", "each", "out", "of", "for", "just", "only", "to",
		"my", "me", "mask")
	switch strings.ToLower(what) {
	case "", "it", "this", "that", "subject", "main subject", "foreground", "background", "him", "her", "them":
		r.planCutout(c, 0)
		return
	}
	what = phrase.Truncate(what, 240)
	t.Args["text"], t.Subject = what, what
	if apply {
		t.Args["applyMask"] = true
	}
	if url != "" {
		t.Args["source_image_url"] = url
		r.addTask(t)
		return
	}
	r.addForMedia(t, "sourceImageIndex", "image", refs)
}

// beginsMediaName reports whether a token begins the name of an existing picture.
func beginsMediaName(c *token.Clause, i int) bool {
	if c.Tokens[i].Is("it", "this", "that", "here") {
		return true
	}
	for k := i; k < min(c.End, i+5); k++ {
		if c.MatchNoun(k, c.End) != nil {
			return true
		}
		if !c.Matches(k, c.End, "det", "adjective", "ordinal", "upload") {
			return false
		}
	}
	return false
}
