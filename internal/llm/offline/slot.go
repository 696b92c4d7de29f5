package offline

import (
	"math"
	"strings"

	"github.com/atelier-project/atelier/internal/llm/offline/answer"
	"github.com/atelier-project/atelier/internal/llm/offline/phrase"
	"github.com/atelier-project/atelier/internal/llm/offline/slot"
	"github.com/atelier-project/atelier/internal/llm/offline/token"
)

// fillArguments reads the particulars of a clause into the arguments that a tool has,
// and takes them out of the clause. What the tool has no argument for stays in
// the description.
func (r *interpretation) fillArguments(c *token.Clause, t *task) {
	c.UseClosing()
	if t.hasArgument("generateAudio") && c.Take("silence") != nil {
		t.args["generateAudio"] = false
	}
	if t.hasArgument("negativePrompt") {
		if no := slot.TakeNegativePrompt(c); no != "" {
			t.args["negativePrompt"] = phrase.AppendToList(t.args["negativePrompt"], no)
		}
	}
	r.fillModel(c, t)
	fillNumbers(c, t)
	r.fillLoras(c, t)
	fillShape(c, t)
	if t.hasArgument("duration") {
		if v, ok := slot.TakeDuration(c); ok {
			t.args["duration"] = t.clamp("duration", v, " seconds")
		}
	}
	if t.hasArgument("outputFormat") {
		if f := takeFormat(c, t); f != "" {
			t.args["outputFormat"] = f
		}
	}
	if t.hasArgument("numberOfVariations") {
		if n, ok := slot.TakeVariations(c); ok {
			t.args["numberOfVariations"] = math.Round(t.clamp("numberOfVariations", n, ""))
		}
	}
	if e := takeQuality(c, t); e != nil && e.Key == "best" {
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
func (r *interpretation) fillModel(c *token.Clause, t *task) {
	argument := t.tool.Models.Argument
	if argument == "" && t.tool.Models.Defaults == nil {
		return
	}
	found, elsewhere := r.planner.models.Take(c, t.tool.Name)
	switch {
	case found != nil && argument != "":
		t.args[argument] = found.Selector
	case elsewhere != "":
		t.addNote(elsewhere + " cannot be used for this here, so I left the choice of the model to the service.")
	case found != nil:
		t.addNote("The model of " + t.tool.Name + " is not a matter of choice.")
	}
}

// fillNumbers reads seed 42, guidance 5, strength 0.6.
func fillNumbers(c *token.Clause, t *task) {
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
		if v, ok := slot.TakeNumber(c, n.words...); ok {
			if n.whole {
				v = math.Round(v)
			}
			t.args[n.argument] = t.clamp(n.argument, v, "")
		}
	}
}

// fillShape reads size, ratio and resolution.
func fillShape(c *token.Clause, t *task) {
	if t.hasArgument("width") && t.hasArgument("height") {
		if w, h, ok := slot.TakeSize(c); ok {
			t.args["width"], t.args["height"] = w, h
			delete(t.args, "aspectRatio")
		}
	}
	if t.hasArgument("aspectRatio") {
		if r, ok := slot.TakeAspectRatio(c, t.outputKind() == "video"); ok {
			t.args["aspectRatio"] = r
			delete(t.args, "width")
			delete(t.args, "height")
		}
	}
	if t.hasArgument("targetResolution") {
		if e, ok := slot.TakeResolution(c); ok {
			if list := answer.EnumNumbers(t.tool, "targetResolution"); list != nil {
				t.args["targetResolution"] = slot.Nearest(list, e.Number("short"))
			}
		}
	}
}

// takeFormat finds a file format that the tool can write: as a png.
func takeFormat(c *token.Clause, t *task) string {
	for i := c.Start; i < c.End; i++ {
		e := c.Match(i, c.End, "format")
		if e == nil || c.Used[i] || !t.allows("outputFormat", e.Key) {
			continue
		}
		led := i > c.Start && c.Tokens[i-1].Is("as", "in", "to", "a", "an", "format", ".", "into")
		ends := i+e.Len == c.End || c.Tokens[i+e.Len].Is("format", "file", ",", "please", "image", "picture", "video")
		if !led && !ends {
			continue
		}
		end := i + e.Len
		if end < c.End && c.Tokens[end].Is("format", "file") {
			end++
		}
		c.Use(i, end)
		c.UseBefore(i, "as", "in", "a", "an", "format", ".", "the", "save", "it", "saved", "to", "into")
		return e.Key
	}
	return ""
}

// takeQuality finds words about quality; those that a model reads stay in the
// description unless the tool has an argument for them.
func takeQuality(c *token.Clause, t *task) *token.Entry {
	if t.hasArgument("quality") {
		return c.Take("quality")
	}
	return c.Peek("quality")
}
