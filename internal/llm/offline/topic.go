package offline

import (
	_ "embed"
	"fmt"
	"strings"
)

// topic is something that the model can tell about the service.
type topic struct{ id, text string }

//go:embed data/help.md
var helpFile string

// loadTopics reads the help file: headings, a line of phrases, a text. The
// phrases go into the lexicon.
func loadTopics(l *lexicon) ([]topic, error) {
	var out []topic
	for _, part := range strings.Split("\n"+helpFile, "\n# ")[1:] {
		id, rest, _ := strings.Cut(part, "\n")
		ask, text, found := strings.Cut(rest, "\n")
		ask, led := strings.CutPrefix(ask, "ask: ")
		if !found || !led || strings.TrimSpace(text) == "" {
			return nil, fmt.Errorf("data/help.md: %s: want a line of phrases and a text", id)
		}
		out = append(out, topic{id, strings.TrimSpace(text)})
		for phrase := range strings.SplitSeq(ask, ",") {
			l.add(&entry{group: "topic", key: id}, strings.TrimSpace(phrase))
		}
	}
	return out, nil
}

// answer answers a question about the service, the models or the tools. The
// second result is false when a clause asks none.
func (g *guide) answer(c *clause) (string, bool) {
	for _, try := range []func(*clause) string{g.rankModels, g.describeModels, g.describeTool} {
		if text := try(c); text != "" {
			return text, true
		}
	}
	best, score := g.matchTopic(c)
	least := 1
	if !c.isQuestion() && c.match(c.start, c.end, "verb", "learn") == nil {
		least = 2
		if e := c.match(c.start, c.end, "topic"); e != nil && e.len == c.end-c.start {
			least = 1 // nothing else was said
		}
	}
	if long := (c.end - c.start) / 8; long > 0 {
		least += min(long, 2) // a word in passing is not what a long sentence is about
	}
	if best == nil || score < least {
		return "", false
	}
	return g.fillPlaceholders(best.text, c), true
}

// matchTopic is the topic that most words of a clause lead to, and how many do.
// Words about the world at large count against all of them.
func (g *guide) matchTopic(c *clause) (best *topic, score int) {
	scores := map[string]int{}
	worldly := 0
	for i := c.lead; i < c.end; i++ {
		seen := map[string]bool{}
		for _, e := range c.entries[i] {
			if i+e.len > c.end || seen[e.group+e.key] {
				continue
			}
			switch e.group {
			case "topic":
				seen[e.group+e.key] = true
				scores[e.key] += e.len
			case "world":
				seen[e.group+e.key] = true
				worldly += e.len
			}
		}
	}
	for i, t := range g.topics { // in the order of the file, so that a tie is always decided alike
		if scores[t.id] > score {
			best, score = &g.topics[i], scores[t.id]
		}
	}
	if worldly > score {
		return nil, 0
	}
	return best, score
}

// topicScore is how many words of a clause lead to one topic.
func (g *guide) topicScore(c *clause) int {
	_, score := g.matchTopic(c)
	return score
}

// describeModels tells about the models that a question names.
func (g *guide) describeModels(c *clause) string {
	if !c.isQuestion() && c.match(c.start, c.end, "verb", "learn", "describe", "compare") == nil {
		return ""
	}
	var lines []string
	told := map[string]bool{}
	for i := c.start; i < c.end; i++ {
		if c.tokens[i].kind != word && c.tokens[i].kind != number {
			continue
		}
		a, n := g.models.findAt(c.text, i, c.end, "", g.models.isDistinctive(c.tokens[i]))
		if a == nil {
			continue
		}
		if !told[a.model.ID] && len(lines) < 4 {
			told[a.model.ID] = true
			lines = append(lines, g.describeModel(a))
		}
		i += n - 1
	}
	return strings.Join(lines, "\n")
}

// describeTool tells about the tool that a clause names.
func (g *guide) describeTool(c *clause) string {
	for i := c.start; i < c.end; i++ {
		t, ok := g.catalog.Tool(c.tokens[i].text)
		if !ok || !strings.Contains(c.tokens[i].text, "_") {
			continue
		}
		var names []string
		for _, a := range t.Arguments {
			name := a.Name
			if a.Required {
				name += " (required)"
			}
			names = append(names, name)
		}
		return t.Name + ": " + strings.Join(strings.Fields(t.Description), " ") + " Its arguments are " + joinList(names, "and") + "."
	}
	return ""
}
