package offline

import (
	"math"
	"strings"
)

// fill reads the particulars of a clause into the arguments that a tool has,
// and takes them out of the clause. What the tool has no argument for stays in
// the description.
func (r *reading) fill(c *clause, t *task) {
	c.takeTails()
	if t.takes("generateAudio") && c.take("silence") != nil {
		t.args["generateAudio"] = false
	}
	if t.takes("negativePrompt") {
		if no := c.takeNegative(); no != "" {
			t.args["negativePrompt"] = joinWith(t.args["negativePrompt"], no)
		}
	}
	r.fillModel(c, t)
	fillNumbers(c, t)
	r.fillLoras(c, t)
	fillShape(c, t)
	if t.takes("duration") {
		if v, ok := c.takeLength(); ok {
			t.args["duration"] = t.bounded("duration", v, " seconds")
		}
	}
	if t.takes("outputFormat") {
		if f := c.takeFormat(t); f != "" {
			t.args["outputFormat"] = f
		}
	}
	if t.takes("numberOfVariations") {
		if n, ok := c.takeVariations(); ok {
			t.args["numberOfVariations"] = math.Round(t.bounded("numberOfVariations", n, ""))
		}
	}
	if e := c.takeQuality(t); e != nil && e.key == "best" {
		t.set("quality", "hq")
		if model, _ := t.args["model"].(string); strings.HasPrefix(model, "gpt-image") {
			t.set("gptImageQuality", "high")
		}
	}
	if t.takes("bpm") {
		fillMusic(c, t)
	}
	if t.takes("voice") {
		fillVoice(c, t)
	}
}

// fillModel chooses the model that is named.
func (r *reading) fillModel(c *clause, t *task) {
	argument := t.tool.Models.Argument
	if argument == "" && t.tool.Models.Defaults == nil {
		return
	}
	found, elsewhere := r.m.naming.takeModel(c, t.tool.Name)
	switch {
	case found != nil && argument != "":
		t.args[argument] = found.selector
	case elsewhere != "":
		t.note(elsewhere + " cannot be used for this here, so I left the choice of the model to the service.")
	case found != nil:
		t.note("The model of " + t.tool.Name + " is not a matter of choice.")
	}
}

// fillNumbers reads seed 42, guidance 5, strength 0.6.
func fillNumbers(c *clause, t *task) {
	for _, n := range []struct {
		argument string
		whole    bool
		words    []string
	}{
		{"seed", true, []string{"seed"}},
		{"guidance", false, []string{"guidance", "cfg"}},
		{"starting_image_strength", false, []string{"strength"}},
		{"creativity", false, []string{"creativity"}},
	} {
		if !t.takes(n.argument) {
			continue
		}
		if v, ok := c.takeValue(n.words...); ok {
			if n.whole {
				v = math.Round(v)
			}
			t.args[n.argument] = t.bounded(n.argument, v, "")
		}
	}
}

// takeValue finds a word with a number behind it: seed 42, seed: 42.
func (c *clause) takeValue(words ...string) (float64, bool) {
	for i := c.start; i < c.to; i++ {
		if c.used[i] || !c.tokens[i].is(words...) {
			continue
		}
		at := i + 1
		for at < c.to && c.tokens[at].is(":", "=", "of", "is", "scale", "number", "to", "value") {
			at++
		}
		if at < c.to && c.tokens[at].kind == number {
			c.use(i, at+1)
			c.absorb(i, "with", "and", "the", "a", "using", "use", "at", "same", "set")
			return c.tokens[at].value, true
		}
	}
	return 0, false
}

// fillShape reads size, ratio and resolution.
func fillShape(c *clause, t *task) {
	if t.takes("width") && t.takes("height") {
		if w, h, ok := c.takeSize(); ok {
			t.args["width"], t.args["height"] = w, h
			delete(t.args, "aspectRatio")
		}
	}
	if t.takes("aspectRatio") {
		if r, ok := c.takeRatio(t.makes() == "video"); ok {
			t.args["aspectRatio"] = r
			delete(t.args, "width")
			delete(t.args, "height")
		}
	}
	if t.takes("targetResolution") {
		if e, ok := c.takeDefinition(); ok {
			if list := enumNumbers(t.tool, "targetResolution"); list != nil {
				t.args["targetResolution"] = nearest(list, e.number("short"))
			}
		}
	}
}

// take finds a phrase of a group and takes it out.
func (c *clause) take(group string, keys ...string) *entry {
	for i := c.start; i < c.to; i++ {
		if e := c.entry(i, c.to, group, keys...); e != nil && !c.used[i] {
			c.use(i, i+e.words)
			c.absorb(i, "and", "but", "a", "an", "with", "in", "as")
			return e
		}
	}
	return nil
}

// peek finds a phrase of a group and leaves it.
func (c *clause) peek(group string, keys ...string) *entry {
	for i := c.start; i < c.to; i++ {
		if e := c.entry(i, c.to, group, keys...); e != nil && !c.used[i] {
			return e
		}
	}
	return nil
}

// says reports whether a clause has one of the words.
func (c *clause) says(words ...string) bool {
	for i := c.start; i < c.to; i++ {
		if c.tokens[i].is(words...) {
			return true
		}
	}
	return false
}

// takeTails takes out thanks and pleas at the end.
func (c *clause) takeTails() {
	for end := c.to; end > c.start; {
		found := false
		for i := max(c.start, end-5); i < end; i++ {
			if e := c.entry(i, end, "tail"); e != nil && i+e.words == end && i > c.start {
				c.use(i, end)
				end, found = i, true
				break
			}
		}
		if end > c.start && c.tokens[end-1].kind == mark {
			end, found = end-1, true
		}
		if !found {
			return
		}
	}
}

// takeFormat finds a file format that the tool can write: as a png.
func (c *clause) takeFormat(t *task) string {
	for i := c.start; i < c.to; i++ {
		e := c.entry(i, c.to, "format")
		if e == nil || c.used[i] || !t.allowed("outputFormat", e.key) {
			continue
		}
		led := i > c.start && c.tokens[i-1].is("as", "in", "to", "a", "an", "format", ".", "into")
		ends := i+e.words == c.to || c.tokens[i+e.words].is("format", "file", ",", "please", "image", "picture", "video")
		if !led && !ends {
			continue
		}
		end := i + e.words
		if end < c.to && c.tokens[end].is("format", "file") {
			end++
		}
		c.use(i, end)
		c.absorb(i, "as", "in", "a", "an", "format", ".", "the", "save", "it", "saved", "to", "into")
		return e.key
	}
	return ""
}

// takeVariations finds how many results are wanted: 4 variations, in three
// versions.
func (c *clause) takeVariations() (float64, bool) {
	for i := c.start; i < c.to; i++ {
		v, n := c.amount(i, c.to)
		at := i + n
		if n == 0 || c.used[i] || v < 1 {
			continue
		}
		for at < c.to && c.tokens[at].is("different", "more", "other", "new", "possible", "distinct") {
			at++
		}
		plain := at < c.to && c.tokens[at].is("images", "pictures", "photos", "pics", "clips", "videos", "tracks", "takes") && (at+1 == c.to ||
			c.tokens[at+1].kind == mark)
		if at >= c.to || !plain && !c.tokens[at].is("variations", "variants", "versions", "options", "takes", "alternatives", "variation", "copies",
			"times", "attempts", "ideas", "results") {
			continue
		}
		end := at + 1
		if end < c.to && c.tokens[end].is("of", "for") {
			end++
		}
		c.use(i, end)
		c.absorb(i, "in", "with", "and", "make", "give", "me", "as", "show", "the")
		return v, true
	}
	return 0, false
}

// takeQuality finds words about quality; those that a model reads stay in the
// description unless the tool has an argument for them.
func (c *clause) takeQuality(t *task) *entry {
	if t.takes("quality") {
		return c.take("quality")
	}
	return c.peek("quality")
}
