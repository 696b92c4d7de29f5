package answer

import (
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/kit/talk/intent"
	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// Answer answers a question about the service, the models or the tools. The second result is false when a clause asks
// none.
func (g *Guide) Answer(c *token.Clause) (string, bool) {
	for _, try := range []func(*token.Clause) string{g.rankModels, g.describeModels, g.describeTool} {
		if text := try(c); text != "" {
			return text, true
		}
	}
	best, score := g.matchTopic(c)
	least := 1
	if !intent.IsQuestion(c) && c.Match(c.Start, c.End, "verb", "learn") == nil {
		least = 2
		if e := c.Match(c.Start, c.End, "topic"); e != nil && e.Len == c.End-c.Start {
			least = 1 // nothing else was said
		}
	}
	if long := (c.End - c.Start) / 8; long > 0 {
		least += min(long, 2) // one word is not the topic of a long sentence
	}
	if best == nil || score < least {
		return "", false
	}
	return g.fillPlaceholders(best.text, c), true
}

// TopicScore returns how many words of a clause lead to one topic.
func (g *Guide) TopicScore(c *token.Clause) int {
	_, score := g.matchTopic(c)
	return score
}

// Guide answers questions about the service from the help texts and the catalog.
type Guide struct {
	catalog *catalog.Catalog
	models  func() *slot.ModelNames
	topics  []Topic
}

func NewGuide(c *catalog.Catalog, names func() *slot.ModelNames, topics []Topic) *Guide {
	return &Guide{catalog: c, models: names, topics: topics}
}

// fillPlaceholders fills the placeholders of a text from the catalog, for the kinds of media that a clause names.
func (g *Guide) fillPlaceholders(text string, c *token.Clause) string {
	for _, f := range []struct {
		name string
		tell func(*token.Clause) string
	}{
		{"{models}", g.listModels}, {"{tools}", g.listTools}, {"{spark-usd}", g.formatSparkPrice}, {"{prices}", g.listPrices},
		{"{free-spark}", g.describeFreeSpark},
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
