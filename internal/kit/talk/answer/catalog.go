package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/kit/talk/phrase"
	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// mediaTools are the generation tools, with the kind of media and its heading.
var mediaTools = []struct{ tool, kind, noun string }{
	{"generate_image", "image", "Images"}, {"edit_image", "edit", "Edits of images"}, {"generate_video", "video", "Video"}, {"animate_photo", "animate",
		"Animating a picture"},
	{"generate_music", "music", "Music"}, {"generate_speech", "speech", "Speech"}, {"image_to_3d", "model", "3D models"},
}

// findMediaKinds returns the kinds of media that a question is about; empty means all.
func findMediaKinds(c *token.Clause) map[string]bool {
	out := map[string]bool{}
	for i := c.Start; i < c.End; i++ {
		if e := c.Match(i, c.End, "noun"); e != nil {
			switch of := e.Attr("of"); {
			case of == "song":
				out["music"] = true
			case of != "":
				out[of] = true
			case e.Attr("kind") == "audio":
				out["music"], out["speech"] = true, true
			default:
				out[e.Attr("kind")] = true
			}
		}
		switch {
		case c.Tokens[i].Is("edit", "editing", "edits"):
			out["edit"] = true
		case c.Tokens[i].Is("animate", "animating"):
			out["animate"] = true
		case c.Tokens[i].Is("speak", "speech", "voice", "tts"):
			out["speech"] = true
		case c.Tokens[i].Is("3d") || c.Tokens[i].Is("3") && i+1 < c.End && c.Tokens[i+1].Is("d"):
			out["model"] = true
		}
	}
	return out
}

// listModels lists the selectors for each kind of media.
func (g *Guide) listModels(c *token.Clause) string {
	kinds := findMediaKinds(c)
	var lines []string
	for _, k := range mediaTools {
		t, ok := g.catalog.Tool(k.tool)
		if !ok || len(kinds) > 0 && !kinds[k.kind] {
			continue
		}
		names := t.Selectors()
		if t.Models.Argument == "" {
			names = nil
			for _, model := range g.catalog.Models() {
				if model.Serves(k.tool) {
					names = append(names, model.Name)
				}
			}
		}
		if len(names) > 0 {
			lines = append(lines, fmt.Sprintf("- %s: %s.%s", k.noun, strings.Join(names, ", "), g.describeDefault(k.tool)))
		}
	}
	if lines == nil {
		return "There are no models for that here."
	}
	return "These are the models of this service:\n\n" + strings.Join(lines,
		"\n") + "\n\nName one in your request (\"… using krea 2 turbo\"), or leave the choice to the service."
}

func (g *Guide) describeDefault(tool string) string {
	if d := g.DefaultModel(tool); d != "" {
		return " The default is " + d + "."
	}
	return ""
}

// DefaultModel returns the selector that a tool uses when none is given.
func (g *Guide) DefaultModel(tool string) string {
	t, ok := g.catalog.Tool(tool)
	if !ok || len(t.Models.Defaults) == 0 {
		return ""
	}
	return t.Models.Defaults[len(t.Models.Defaults)-1].Selector
}

func (g *Guide) listTools(*token.Clause) string {
	var names []string
	for _, family := range []string{catalog.CreativeTools, catalog.CreativeAgent} {
		for _, t := range g.catalog.Tools() {
			if t.Family == family {
				names = append(names, t.Name)
			}
		}
	}
	return strings.Join(names, ", ")
}

func (g *Guide) listLengths(c *token.Clause) string {
	kinds := findMediaKinds(c)
	var lengths []string
	names := map[string][]string{} // by length
	for _, tool := range []string{"generate_video", "animate_photo", "generate_music"} {
		if len(kinds) > 0 && (tool == "generate_music") != kinds["music"] && !(kinds["music"] && kinds["video"]) {
			continue
		}
		for _, model := range g.catalog.Models() {
			if !model.Serves(tool) || model.Duration == nil {
				continue
			}
			d := model.Duration
			family := model.Name
			for _, mode := range slot.ModeSuffixes {
				family = strings.TrimSuffix(family, mode)
			}
			length := phrase.FormatNumber(d.Min) + " to " + phrase.FormatNumber(cmp.Or(d.Ceiling, d.Max))
			if names[length] == nil {
				lengths = append(lengths, length)
			}
			if !slices.Contains(names[length], family) {
				names[length] = append(names[length], family)
			}
		}
	}
	if lengths == nil {
		return "No length is set for that."
	}
	var parts []string
	for _, length := range lengths {
		parts = append(parts, phrase.JoinList(names[length], "and")+" "+length)
	}
	return "In seconds: " + strings.Join(parts, "; ") + ". Longer clips are made by extending one (\"extend it by 10 seconds\") or by joining several."
}

func (g *Guide) listSizes(c *token.Clause) string {
	kinds := findMediaKinds(c)
	var lines []string
	seen := map[string]bool{}
	if len(kinds) == 0 || kinds["image"] {
		var parts []string
		for _, model := range g.catalog.Models() {
			if !model.Serves("generate_image") || model.Size == nil {
				continue
			}
			line := fmt.Sprintf("%d to %d", model.Size.Min, model.Size.Max)
			if !seen[line] {
				seen[line] = true
				parts = append(parts, line+" pixels on an edge with "+model.Name)
			}
		}
		line := "Pictures: " + phrase.JoinList(parts, "and") + ", and others alike."
		if t, ok := g.catalog.Tool("upscale_image"); ok {
			if a, ok := t.Argument("targetLongestEdge"); ok && a.Max != nil {
				line += " Upscaling goes on to " + phrase.FormatNumber(*a.Max) + "."
			}
		}
		lines = append(lines, line)
	}
	if len(kinds) == 0 || kinds["video"] {
		var names []string
		if t, ok := g.catalog.Tool("generate_video"); ok {
			for _, v := range EnumNumbers(t, "targetResolution") {
				names = append(names, phrase.FormatNumber(v)+"p")
			}
		}
		if names != nil {
			lines = append(lines, "Clips: "+phrase.JoinList(names, "or")+", as the model offers; shapes from 16:9 to 9:16.")
		}
	}
	return strings.Join(lines, " ")
}

func (g *Guide) listLoras(*token.Clause) string {
	var names []string
	for _, l := range g.catalog.Loras() {
		names = append(names, l.LoraID)
	}
	if names == nil {
		return "There are no public ones here."
	}
	return fmt.Sprintf("There are %d public ones: %s.", len(names), strings.Join(names, ", "))
}

func (g *Guide) listValues(tool, argument string) string {
	t, ok := g.catalog.Tool(tool)
	if !ok {
		return "none"
	}
	return ListChoices(t, argument)
}

// EnumValues returns the values that an argument may have.
func EnumValues(t *catalog.Tool, argument string) []any {
	if a, ok := t.Argument(argument); ok {
		return a.Enum
	}
	return nil
}

// EnumNumbers returns the numbers that an argument may have.
func EnumNumbers(t *catalog.Tool, argument string) (out []float64) {
	for _, v := range EnumValues(t, argument) {
		switch v := v.(type) {
		case float64:
			out = append(out, v)
		case int:
			out = append(out, float64(v))
		}
	}
	return out
}

// describeModel describes one model in a sentence.
func (g *Guide) describeModel(a *slot.ModelName) string {
	model := a.Model
	parts := []string{fmt.Sprintf("%s (`%s` in %s) makes %s", model.Name, a.Selector, a.Tool, map[string]string{"image": "images", "video": "video",
		"audio": "sound", "model": "3D models"}[model.MediaType])}
	if d := model.Duration; d != nil {
		parts = append(parts, fmt.Sprintf("%s to %s seconds long", phrase.FormatNumber(d.Min), phrase.FormatNumber(cmp.Or(d.Ceiling, d.Max))))
	}
	if s := model.Size; s != nil && s.Max > 0 && model.MediaType == "image" {
		parts = append(parts, fmt.Sprintf("up to %d pixels on an edge", s.Max))
	}
	if spark := g.formatUnitPrice(model); spark != "" {
		parts = append(parts, spark)
	}
	if model.Vendor != "" {
		parts = append(parts, "rendered by the vendor "+model.Vendor+" and paid with Premium Spark")
	}
	if model.LoadsLoras() {
		parts = append(parts, "loads LoRAs")
	}
	return strings.Join(parts, ", ") + "."
}

// ListChoices lists the values that an argument may have, in words.
func ListChoices(t *catalog.Tool, argument string) string {
	a, ok := t.Argument(argument)
	if !ok {
		return ""
	}
	var names []string
	for _, v := range a.Enum {
		if s, ok := v.(string); ok {
			names = append(names, s)
		}
	}
	return phrase.JoinList(names, "and")
}
