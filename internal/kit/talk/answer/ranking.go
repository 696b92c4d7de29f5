package answer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/kit/talk/phrase"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// rankModels answers which model is the cheapest, the fastest or the best.
func (g *Guide) rankModels(c *token.Clause) string {
	if !c.Contains("cheapest", "fastest", "quickest", "best", "newest", "cheap", "popular") || !c.Contains("model", "models", "one", "option", "way") {
		return ""
	}
	kinds := findMediaKinds(c)
	var lines []string
	for _, k := range mediaTools {
		if len(kinds) > 0 && !kinds[k.kind] || len(kinds) == 0 && k.kind != "image" && k.kind != "video" && k.kind != "music" {
			continue
		}
		if line := g.rankTool(c, k.tool, k.noun); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, " ")
}

func (g *Guide) rankTool(c *token.Clause, tool, noun string) string {
	var list []*catalog.Model
	for _, model := range g.catalog.Models() {
		if model.Serves(tool) && model.Selector(tool) != model.ID {
			list = append(list, model)
		}
	}
	if len(list) == 0 {
		return ""
	}
	if c.Contains("cheapest", "cheap") {
		slices.SortStableFunc(list, func(a, b *catalog.Model) int { return int(a.Price.USD - b.Price.USD) })
		return fmt.Sprintf("%s: the cheapest is %s (%s).", noun, list[0].Selector(tool), g.formatUnitPrice(list[0]))
	}
	tag, verb := "popular", "are liked best"
	switch {
	case c.Contains("fastest", "quickest"):
		tag, verb = "fast", "are made for speed"
	case c.Contains("newest"):
		tag, verb = "new", "are new"
	}
	var names []string
	for _, model := range list {
		if name := model.Selector(tool); slices.Contains(model.Tags, tag) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if names == nil {
		return ""
	}
	if len(names) == 1 {
		verb = strings.Replace(verb, "are", "is", 1)
	}
	return fmt.Sprintf("%s: %s %s.", noun, phrase.JoinList(names, "and"), verb)
}
