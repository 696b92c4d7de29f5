package answer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/kit/talk/phrase"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

func (g *Guide) formatSparkPrice(*token.Clause) string { return formatMoney(g.catalog.SparkUSD()) }

// formatMoney writes an amount without trailing zeros.
func formatMoney(a atelier.Money) string {
	s := strings.TrimRight(a.String(), "0")
	return strings.TrimSuffix(s, ".")
}

// listPrices lists what the default model of each kind costs.
func (g *Guide) listPrices(c *token.Clause) string {
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

func formatCost(s *catalog.Step) string {
	if s.Cost.Spark == 0 {
		return "nothing"
	}
	return formatMoney(s.Cost.Spark) + " Spark"
}

func (g *Guide) describeFreeSpark(*token.Clause) string {
	f := g.catalog.FreeSpark()
	if f.Grant == 0 {
		return ""
	}
	return fmt.Sprintf("%s free Spark arrive each month while fewer than %s are left.", formatMoney(f.Grant), formatMoney(f.Below))
}

func (g *Guide) listPlans(*token.Clause) string {
	var names []string
	for _, p := range g.catalog.Plans() {
		names = append(names, fmt.Sprintf("%s for %s dollars a %s", p.DisplayName, phrase.FormatNumber(p.PriceUSD), p.Interval))
	}
	if names == nil {
		return "There are no plans here."
	}
	return "The plans are " + phrase.JoinList(names, "and") + "."
}

// formatUnitPrice writes what a model costs per unit.
func (g *Guide) formatUnitPrice(model *catalog.Model) string {
	usd := g.catalog.SparkUSD()
	if model.Price.Free || model.Price.USD == 0 || usd == 0 {
		return ""
	}
	per := map[string]string{"second": "a second", "megapixel": "a megapixel", "output": "each", "operation": "each"}[model.Price.Per]
	return formatMoney(model.Price.USD*atelier.MoneyUnit/usd) + " Spark " + per
}

// DescribeTotal says what several steps cost together.
func DescribeTotal(usd, spark atelier.Money) string {
	return "That costs " + formatMoney(spark) + " Spark (" + formatMoney(usd) + " dollars) in all, unless a plan covers it."
}

// DescribePrice says what a step costs.
func DescribePrice(s *catalog.Step, kind string) string {
	what := map[string]string{"image": "picture", "video": "clip", "audio": "recording", "model": "3D model"}[kind]
	if s.Tool.Name == "generate_music" {
		what = "piece of music"
	}
	if what == "" {
		what = "call"
	}
	size := ""
	if s.Length.Seconds > 0 {
		size = " of " + phrase.FormatNumber(s.Length.Seconds) + " seconds"
	} else if s.Outputs.Width > 0 {
		size = " of " + phrase.FormatNumber(float64(s.Outputs.Width)) + " by " + phrase.FormatNumber(float64(s.Outputs.Height)) + " pixels"
	}
	if s.Cost.Spark == 0 {
		return "That costs nothing: " + s.Tool.Name + " is free."
	}
	n := max(1, s.Outputs.Count)
	text := phrase.Capitalize(phrase.FormatCount(n, what)) + size + " costs "
	if n > 1 {
		text = phrase.Capitalize(phrase.FormatCount(n, what)) + size + " cost "
	}
	text += formatCost(s) + " (" + formatMoney(s.Cost.USD) + " dollars)"
	if s.Model != nil {
		text += " with " + s.Model.Name
	}
	text += "."
	if s.Premium() {
		text += " It is a vendor's model and wants Premium Spark."
	}
	return text
}
