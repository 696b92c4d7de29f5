package offline

import (
	"math"
	"strings"
)

// fillArguments reads the particulars of a clause into the arguments that a tool has,
// and takes them out of the clause. What the tool has no argument for stays in
// the description.
func (r *interpretation) fillArguments(c *clause, t *task) {
	c.useClosing()
	if t.hasArgument("generateAudio") && c.take("silence") != nil {
		t.args["generateAudio"] = false
	}
	if t.hasArgument("negativePrompt") {
		if no := c.takeNegativePrompt(); no != "" {
			t.args["negativePrompt"] = appendToList(t.args["negativePrompt"], no)
		}
	}
	r.fillModel(c, t)
	fillNumbers(c, t)
	r.fillLoras(c, t)
	fillShape(c, t)
	if t.hasArgument("duration") {
		if v, ok := c.takeDuration(); ok {
			t.args["duration"] = t.clamp("duration", v, " seconds")
		}
	}
	if t.hasArgument("outputFormat") {
		if f := c.takeFormat(t); f != "" {
			t.args["outputFormat"] = f
		}
	}
	if t.hasArgument("numberOfVariations") {
		if n, ok := c.takeVariations(); ok {
			t.args["numberOfVariations"] = math.Round(t.clamp("numberOfVariations", n, ""))
		}
	}
	if e := c.takeQuality(t); e != nil && e.key == "best" {
		t.setArgument("quality", "hq")
		if model, _ := t.args["model"].(string); strings.HasPrefix(model, "gpt-image") {
			t.setArgument("gptImageQuality", "high")
		}
	}
	if t.hasArgument("bpm") {
		fillMusic(c, t)
	}
	if t.hasArgument("voice") {
		fillVoice(c, t)
	}
}

// fillModel chooses the model that is named.
func (r *interpretation) fillModel(c *clause, t *task) {
	argument := t.tool.Models.Argument
	if argument == "" && t.tool.Models.Defaults == nil {
		return
	}
	found, elsewhere := r.planner.models.take(c, t.tool.Name)
	switch {
	case found != nil && argument != "":
		t.args[argument] = found.selector
	case elsewhere != "":
		t.addNote(elsewhere + " cannot be used for this here, so I left the choice of the model to the service.")
	case found != nil:
		t.addNote("The model of " + t.tool.Name + " is not a matter of choice.")
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
		if !t.hasArgument(n.argument) {
			continue
		}
		if v, ok := c.takeNumber(n.words...); ok {
			if n.whole {
				v = math.Round(v)
			}
			t.args[n.argument] = t.clamp(n.argument, v, "")
		}
	}
}

// takeNumber finds a word with a number behind it: seed 42, seed: 42.
func (c *clause) takeNumber(words ...string) (float64, bool) {
	for i := c.start; i < c.end; i++ {
		if c.used[i] || !c.tokens[i].is(words...) {
			continue
		}
		at := i + 1
		for at < c.end && c.tokens[at].is(":", "=", "of", "is", "scale", "number", "to", "value") {
			at++
		}
		if at < c.end && c.tokens[at].kind == number {
			c.use(i, at+1)
			c.useBefore(i, "with", "and", "the", "a", "using", "use", "at", "same", "set")
			return c.tokens[at].value, true
		}
	}
	return 0, false
}

// fillShape reads size, ratio and resolution.
func fillShape(c *clause, t *task) {
	if t.hasArgument("width") && t.hasArgument("height") {
		if w, h, ok := c.takeSize(); ok {
			t.args["width"], t.args["height"] = w, h
			delete(t.args, "aspectRatio")
		}
	}
	if t.hasArgument("aspectRatio") {
		if r, ok := c.takeAspectRatio(t.outputKind() == "video"); ok {
			t.args["aspectRatio"] = r
			delete(t.args, "width")
			delete(t.args, "height")
		}
	}
	if t.hasArgument("targetResolution") {
		if e, ok := c.takeResolution(); ok {
			if list := enumNumbers(t.tool, "targetResolution"); list != nil {
				t.args["targetResolution"] = nearest(list, e.number("short"))
			}
		}
	}
}

// take finds a phrase of a group and takes it out.
func (c *clause) take(group string, keys ...string) *entry {
	for i := c.start; i < c.end; i++ {
		if e := c.match(i, c.end, group, keys...); e != nil && !c.used[i] {
			c.use(i, i+e.len)
			c.useBefore(i, "and", "but", "a", "an", "with", "in", "as")
			return e
		}
	}
	return nil
}

// peek finds a phrase of a group and leaves it.
func (c *clause) peek(group string, keys ...string) *entry {
	for i := c.start; i < c.end; i++ {
		if e := c.match(i, c.end, group, keys...); e != nil && !c.used[i] {
			return e
		}
	}
	return nil
}

// contains reports whether a clause has one of the words.
func (c *clause) contains(words ...string) bool {
	for i := c.start; i < c.end; i++ {
		if c.tokens[i].is(words...) {
			return true
		}
	}
	return false
}

// useClosing takes out thanks and pleas at the end.
func (c *clause) useClosing() {
	for end := c.end; end > c.start; {
		found := false
		for i := max(c.start, end-5); i < end; i++ {
			if e := c.match(i, end, "tail"); e != nil && i+e.len == end && i > c.start {
				c.use(i, end)
				end, found = i, true
				break
			}
		}
		if end > c.start && c.tokens[end-1].kind == punct {
			end, found = end-1, true
		}
		if !found {
			return
		}
	}
}

// takeFormat finds a file format that the tool can write: as a png.
func (c *clause) takeFormat(t *task) string {
	for i := c.start; i < c.end; i++ {
		e := c.match(i, c.end, "format")
		if e == nil || c.used[i] || !t.allows("outputFormat", e.key) {
			continue
		}
		led := i > c.start && c.tokens[i-1].is("as", "in", "to", "a", "an", "format", ".", "into")
		ends := i+e.len == c.end || c.tokens[i+e.len].is("format", "file", ",", "please", "image", "picture", "video")
		if !led && !ends {
			continue
		}
		end := i + e.len
		if end < c.end && c.tokens[end].is("format", "file") {
			end++
		}
		c.use(i, end)
		c.useBefore(i, "as", "in", "a", "an", "format", ".", "the", "save", "it", "saved", "to", "into")
		return e.key
	}
	return ""
}

// takeVariations finds how many results are wanted: 4 variations, in three
// versions.
func (c *clause) takeVariations() (float64, bool) {
	for i := c.start; i < c.end; i++ {
		v, n := c.matchNumber(i, c.end)
		at := i + n
		if n == 0 || c.used[i] || v < 1 {
			continue
		}
		for at < c.end && c.tokens[at].is("different", "more", "other", "new", "possible", "distinct") {
			at++
		}
		plain := at < c.end && c.tokens[at].is("images", "pictures", "photos", "pics", "clips", "videos", "tracks", "takes") && (at+1 == c.end ||
			c.tokens[at+1].kind == punct)
		if at >= c.end || !plain && !c.tokens[at].is("variations", "variants", "versions", "options", "takes", "alternatives", "variation", "copies",
			"times", "attempts", "ideas", "results") {
			continue
		}
		end := at + 1
		if end < c.end && c.tokens[end].is("of", "for") {
			end++
		}
		c.use(i, end)
		c.useBefore(i, "in", "with", "and", "make", "give", "me", "as", "show", "the")
		return v, true
	}
	return 0, false
}

// takeQuality finds words about quality; those that a model reads stay in the
// description unless the tool has an argument for them.
func (c *clause) takeQuality(t *task) *entry {
	if t.hasArgument("quality") {
		return c.take("quality")
	}
	return c.peek("quality")
}
