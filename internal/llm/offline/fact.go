package offline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm/offline/phrase"
	"github.com/atelier-project/atelier/internal/llm/offline/slot"
	"github.com/atelier-project/atelier/internal/llm/offline/token"
)

// guide answers questions about the service from the help texts and the
// catalog.
type guide struct {
	catalog *catalog.Catalog
	models  *slot.ModelNames
	topics  []topic
}

func newGuide(c *catalog.Catalog, names *slot.ModelNames, topics []topic) *guide {
	return &guide{catalog: c, models: names, topics: topics}
}

// fillPlaceholders fills the braces of a text from the catalog. What a clause asks about
// decides between kinds.
func (g *guide) fillPlaceholders(text string, c *token.Clause) string {
	for _, f := range []struct {
		name string
		tell func(*token.Clause) string
	}{
		{"{models}", g.listModels}, {"{tools}", g.listTools}, {"{spark-usd}", g.formatSparkPrice}, {"{prices}", g.listPrices}, {"{free-spark}", g.describeFreeSpark},
		{"{plans}", g.listPlans}, {"{lengths}", g.listLengths}, {"{sizes}", g.listSizes}, {"{loras}", g.listLoras},
		{"{voices}", func(*token.Clause) string { return g.listValues("generate_speech", "voice") }},
		{"{languages}", func(*token.Clause) string {
			return strings.Replace(g.listValues("generate_speech", "language"), "auto, ", "", 1)
		}},
		{"{dances}", func(*token.Clause) string { return g.listValues("dance_montage", "dance") }},
	} {
		if strings.Contains(text, f.name) {
			text = strings.ReplaceAll(text, f.name, f.tell(c))
		}
	}
	return text
}

// kinds of generation tools by the media they make, with the noun for it.
var mediaTools = []struct{ tool, kind, noun string }{
	{"generate_image", "image", "Images"}, {"edit_image", "edit", "Edits of images"}, {"generate_video", "video", "Video"}, {"animate_photo", "animate",
		"Animating a picture"},
	{"generate_music", "music", "Music"}, {"generate_speech", "speech", "Speech"}, {"image_to_3d", "model", "3D models"},
}

// findMediaKinds are the kinds that a question is about, all when it names none.
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

// listModels lists the selectors of each kind.
func (g *guide) listModels(c *token.Clause) string {
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

func (g *guide) describeDefault(tool string) string {
	if d := g.defaultModel(tool); d != "" {
		return " The default is " + d + "."
	}
	return ""
}

// defaultModel is the selector that a tool takes when nobody names one.
func (g *guide) defaultModel(tool string) string {
	t, ok := g.catalog.Tool(tool)
	if !ok || len(t.Models.Defaults) == 0 {
		return ""
	}
	return t.Models.Defaults[len(t.Models.Defaults)-1].Selector
}

func (g *guide) listTools(*token.Clause) string {
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

func (g *guide) formatSparkPrice(*token.Clause) string { return formatMoney(g.catalog.SparkUSD()) }

// formatMoney writes an amount without needless zeros.
func formatMoney(a atelier.Money) string {
	s := strings.TrimRight(a.String(), "0")
	return strings.TrimSuffix(s, ".")
}

// listPrices lists what the default of each kind costs.
func (g *guide) listPrices(c *token.Clause) string {
	kinds := findMediaKinds(c)
	var lines []string
	for _, p := range []struct{ tool, kind, what string }{
		{"generate_image", "image", "a picture"}, {"edit_image", "edit", "an edit"}, {"generate_video", "video", "a clip of 5 seconds"},
		{"generate_music", "music", "30 seconds of music"},
		{"generate_speech", "speech", "a spoken text"}, {"image_to_3d", "model", "a 3D model"},
		{"upscale_image", "image", "an enlarged picture"}, {"remove_background", "image", "a background removed"},
	} {
		if len(kinds) > 0 && !kinds[p.kind] {
			continue
		}
		args := map[string]any{"prompt": "a"}
		if t, ok := g.catalog.Tool(p.tool); ok && !slices.ContainsFunc(t.Arguments, func(a *catalog.Argument) bool { return a.Name == "prompt" }) {
			args = map[string]any{}
		}
		if step, err := g.catalog.Step(p.tool, args, catalog.Facts{}); err == nil {
			lines = append(lines, p.what+" costs "+formatCost(step))
		}
	}
	if lines == nil {
		return ""
	}
	return "With the default models " + phrase.JoinList(lines, "and") + "."
}

// formatCost is the price of a step in words.
func formatCost(s *catalog.Step) string {
	if s.Cost.Spark == 0 {
		return "nothing"
	}
	return formatMoney(s.Cost.Spark) + " Spark"
}

func (g *guide) describeFreeSpark(*token.Clause) string {
	f := g.catalog.FreeSpark()
	if f.Grant == 0 {
		return ""
	}
	return fmt.Sprintf("%s free Spark arrive each month while fewer than %s are left.", formatMoney(f.Grant), formatMoney(f.Below))
}

func (g *guide) listPlans(*token.Clause) string {
	var names []string
	for _, p := range g.catalog.Plans() {
		names = append(names, fmt.Sprintf("%s for %s dollars a %s", p.DisplayName, phrase.FormatNumber(p.PriceUSD), p.Interval))
	}
	if names == nil {
		return "There are no plans here."
	}
	return "The plans are " + phrase.JoinList(names, "and") + "."
}

// listLengths lists how long clips and music can be.
func (g *guide) listLengths(c *token.Clause) string {
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
			most := d.Max
			if d.Ceiling > 0 {
				most = d.Ceiling
			}
			length := phrase.FormatNumber(d.Min) + " to " + phrase.FormatNumber(most)
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

// listSizes lists how large pictures and clips can be.
func (g *guide) listSizes(c *token.Clause) string {
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
			for _, v := range enumNumbers(t, "targetResolution") {
				names = append(names, phrase.FormatNumber(v)+"p")
			}
		}
		if names != nil {
			lines = append(lines, "Clips: "+phrase.JoinList(names, "or")+", as the model offers; shapes from 16:9 to 9:16.")
		}
	}
	return strings.Join(lines, " ")
}

func (g *guide) listLoras(*token.Clause) string {
	var names []string
	for _, l := range g.catalog.Loras() {
		names = append(names, l.LoraID)
	}
	if names == nil {
		return "There are no public ones here."
	}
	return fmt.Sprintf("There are %d public ones: %s.", len(names), strings.Join(names, ", "))
}

// listValues lists what an argument may be.
func (g *guide) listValues(tool, argument string) string {
	t, ok := g.catalog.Tool(tool)
	if !ok {
		return "none"
	}
	return listChoices(t, argument)
}

// enumValues lists the values that an argument may have.
func enumValues(t *catalog.Tool, argument string) []any {
	if a, ok := t.Argument(argument); ok {
		return a.Enum
	}
	return nil
}

// enumNumbers lists the numbers that an argument may have.
func enumNumbers(t *catalog.Tool, argument string) (out []float64) {
	for _, v := range enumValues(t, argument) {
		switch v := v.(type) {
		case float64:
			out = append(out, v)
		case int:
			out = append(out, float64(v))
		}
	}
	return out
}

// describeModel is one model in a few words.
func (g *guide) describeModel(a *slot.ModelName) string {
	model := a.Model
	parts := []string{fmt.Sprintf("%s (`%s` in %s) makes %s", model.Name, a.Selector, a.Tool, map[string]string{"image": "images", "video": "video",
		"audio": "sound", "model": "3D models"}[model.MediaType])}
	if d := model.Duration; d != nil {
		most := d.Max
		if d.Ceiling > 0 {
			most = d.Ceiling
		}
		parts = append(parts, fmt.Sprintf("%s to %s seconds long", phrase.FormatNumber(d.Min), phrase.FormatNumber(most)))
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

// formatUnitPrice is what a model costs, by its unit.
func (g *guide) formatUnitPrice(model *catalog.Model) string {
	usd := g.catalog.SparkUSD()
	if model.Price.Free || model.Price.USD == 0 || usd == 0 {
		return ""
	}
	per := map[string]string{"second": "a second", "megapixel": "a megapixel", "output": "each", "operation": "each"}[model.Price.Per]
	return formatMoney(model.Price.USD*atelier.One/usd) + " Spark " + per
}

// listChoices lists the values that an argument may have.
func listChoices(t *catalog.Tool, argument string) string {
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
