package plan

import (
	"math"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/answer"
	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// FillArguments reads the values of a clause into the arguments that a tool has, and marks them as used. Other words
// stay in the description.
func (r *Interpretation) FillArguments(c *token.Clause, t *Task) {
	c.UseClosing()
	if t.HasArgument("generateAudio") && c.Take("silence") != nil {
		t.Args["generateAudio"] = false
	}
	if t.HasArgument("negativePrompt") {
		if no := slot.TakeNegativePrompt(c); no != "" {
			t.Args["negativePrompt"] = appendToList(t.Args["negativePrompt"], no)
		}
	}
	r.fillModel(c, t)
	fillNumbers(c, t)
	r.fillLoras(c, t)
	fillShape(c, t)
	if t.HasArgument("duration") {
		fillDuration(c, t, "duration")
	}
	if t.HasArgument("outputFormat") {
		if f := takeFormat(c, t); f != "" {
			t.Args["outputFormat"] = f
		}
	}
	if t.HasArgument("numberOfVariations") {
		if n, ok := slot.TakeVariations(c); ok {
			t.Args["numberOfVariations"] = math.Round(t.clamp("numberOfVariations", n, ""))
		}
	}
	if e := takeQuality(c, t); e != nil && e.Key == "best" {
		t.setArgument("quality", "hq")
		if model, _ := t.Args["model"].(string); strings.HasPrefix(model, "gpt-image") {
			t.setArgument("gptImageQuality", "high")
		}
	}
	if t.HasArgument("bpm") {
		fillMusic(c, t)
	}
	if t.HasArgument("voice") {
		fillVoice(c, t)
	}
}

func (r *Interpretation) fillModel(c *token.Clause, t *Task) {
	argument := t.Tool.Models.Argument
	if argument == "" && t.Tool.Models.Defaults == nil {
		return
	}
	found, elsewhere := r.planner.models().Take(c, t.Tool.Name)
	switch {
	case found != nil && argument != "":
		t.Args[argument] = found.Selector
	case elsewhere != "":
		t.AddNote(elsewhere + " cannot be used for this here, so I left the choice of the model to the service.")
	case found != nil:
		t.AddNote("The model of " + t.Tool.Name + " is not a matter of choice.")
	}
}

func fillDuration(c *token.Clause, t *Task, argument string) {
	if v, ok := slot.TakeDuration(c); ok {
		t.Args[argument] = t.clamp(argument, v, " seconds")
	}
}

// fillNumbers reads seed 42, guidance 5, strength 0.6.
func fillNumbers(c *token.Clause, t *Task) {
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
		if !t.HasArgument(n.argument) {
			continue
		}
		if v, ok := slot.TakeNumber(c, n.words...); ok {
			if n.whole {
				v = math.Round(v)
			}
			t.Args[n.argument] = t.clamp(n.argument, v, "")
		}
	}
}

func fillShape(c *token.Clause, t *Task) {
	if t.HasArgument("width") && t.HasArgument("height") {
		if w, h, ok := slot.TakeSize(c); ok {
			t.Args["width"], t.Args["height"] = w, h
			delete(t.Args, "aspectRatio")
		}
	}
	if t.HasArgument("aspectRatio") {
		if r, ok := slot.TakeAspectRatio(c, t.OutputKind() == "video"); ok {
			t.Args["aspectRatio"] = r
			delete(t.Args, "width")
			delete(t.Args, "height")
		}
	}
	if t.HasArgument("targetResolution") {
		if e, ok := slot.TakeResolution(c); ok {
			if list := answer.EnumNumbers(t.Tool, "targetResolution"); list != nil {
				t.Args["targetResolution"] = slot.Nearest(list, e.Number("short"))
			}
		}
	}
}

// takeFormat finds a file format that the tool can write: as a png.
func takeFormat(c *token.Clause, t *Task) string {
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

// takeQuality finds words about quality. They stay in the description unless the tool has an argument for them.
func takeQuality(c *token.Clause, t *Task) *token.Entry {
	if t.HasArgument("quality") {
		return c.Take("quality")
	}
	return c.Peek("quality")
}

// appendToList appends to a comma-separated list.
func appendToList(before any, more string) string {
	if s, ok := before.(string); ok && s != "" {
		return s + ", " + more
	}
	return more
}

// fillLoras reads the LoRAs that a clause names: with the smile lora at 0.8.
func (r *Interpretation) fillLoras(c *token.Clause, t *Task) {
	if !t.HasArgument("loras") || !c.Contains("lora", "loras", "slider") {
		return
	}
	var ids, strengths []any
	for i := c.Start; i < c.End; i++ {
		if c.Used[i] || c.Tokens[i].Kind != token.Word {
			continue
		}
		for _, l := range r.planner.catalog.Loras() {
			id := token.Tokenize(strings.NewReplacer("-", " ").Replace(l.LoraID))
			title := token.Tokenize(l.Name)
			n := 0
			switch {
			case c.MatchTokens(i, id):
				n = len(id)
			case c.MatchTokens(i, title):
				n = len(title)
			default:
				continue
			}
			end := i + n
			for end < c.End && c.Tokens[end].Is("lora", "loras", "slider") {
				end++
			}
			strength := 1.0
			at := end
			for at < c.End && c.Tokens[at].Is("at", "strength", "with", "of", ":", "to") {
				at++
			}
			if at < c.End && at > end && c.Tokens[at].Kind == token.Number {
				strength, end = c.Tokens[at].Value, at+1
			}
			c.Use(i, end)
			c.UseBefore(i, "the", "with", "and", "using", "use", "lora", "a")
			ids, strengths = append(ids, l.LoraID), append(strengths, strength)
			break
		}
	}
	if ids == nil || len(ids) > 8 {
		return
	}
	t.Args["loras"], t.Args["loraStrengths"] = ids, strengths
	if argument := t.Tool.Models.Argument; t.Args[argument] == nil {
		if selector := r.chooseLoraModel(ids[0].(string), t.Tool.Name); selector != "" {
			t.Args[argument] = selector
		}
	}
}

// chooseLoraModel returns a model of a tool that loads a LoRA, empty when the default does.
func (r *Interpretation) chooseLoraModel(lora, tool string) string {
	for _, l := range r.planner.catalog.Loras() {
		if l.LoraID != lora {
			continue
		}
		first := ""
		for _, id := range l.ModelIDs {
			m, ok := r.planner.catalog.Model(id)
			if !ok || !m.Serves(tool) {
				continue
			}
			if selector := m.Selector(tool); selector == r.planner.Guide.DefaultModel(tool) {
				return ""
			} else if first == "" {
				first = selector
			}
		}
		return first
	}
	return ""
}
