package answer

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/intent"
	"github.com/atelier-project/atelier/internal/kit/talk/phrase"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// Topic is a help text about the service.
type Topic struct{ id, text string }

//go:embed data/help.md
var helpFile string

// LoadTopics reads the help file: a heading, a line of phrases and a text for each topic. The phrases go into the
// lexicon.
func LoadTopics(l *token.Lexicon) ([]Topic, error) {
	var out []Topic
	for _, part := range strings.Split("\n"+helpFile, "\n# ")[1:] {
		id, rest, _ := strings.Cut(part, "\n")
		ask, text, found := strings.Cut(rest, "\n")
		ask, led := strings.CutPrefix(ask, "ask: ")
		if !found || !led || strings.TrimSpace(text) == "" {
			return nil, fmt.Errorf("data/help.md: %s: want a line of phrases and a text", id)
		}
		out = append(out, Topic{id, strings.TrimSpace(text)})
		for phrase := range strings.SplitSeq(ask, ",") {
			l.Add(&token.Entry{Group: "topic", Key: id}, strings.TrimSpace(phrase))
		}
	}
	return out, nil
}

// matchTopic returns the topic that most words of a clause lead to, and how many do. Words of general knowledge count
// against every topic.
func (g *Guide) matchTopic(c *token.Clause) (best *Topic, score int) {
	scores := map[string]int{}
	worldly := 0
	for i := c.Lead; i < c.End; i++ {
		seen := map[string]bool{}
		for _, e := range c.Entries[i] {
			if i+e.Len > c.End || seen[e.Group+e.Key] {
				continue
			}
			switch e.Group {
			case "topic":
				seen[e.Group+e.Key] = true
				scores[e.Key] += e.Len
			case "general-knowledge":
				seen[e.Group+e.Key] = true
				worldly += e.Len
			}
		}
	}
	for i, t := range g.topics { // in the order of the file, so that a tie has one winner
		if scores[t.id] > score {
			best, score = &g.topics[i], scores[t.id]
		}
	}
	if worldly > score {
		return nil, 0
	}
	return best, score
}

func (g *Guide) describeModels(c *token.Clause) string {
	if !intent.IsQuestion(c) && c.Match(c.Start, c.End, "verb", "learn", "describe", "compare") == nil {
		return ""
	}
	var lines []string
	told := map[string]bool{}
	for i := c.Start; i < c.End; i++ {
		if c.Tokens[i].Kind != token.Word && c.Tokens[i].Kind != token.Number {
			continue
		}
		a, n := g.models().FindAt(c.Text, i, c.End, "", g.models().IsDistinctive(c.Tokens[i]))
		if a == nil {
			continue
		}
		if !told[a.Model.ID] && len(lines) < 4 {
			told[a.Model.ID] = true
			lines = append(lines, g.describeModel(a))
		}
		i += n - 1
	}
	return strings.Join(lines, "\n")
}

func (g *Guide) describeTool(c *token.Clause) string {
	for i := c.Start; i < c.End; i++ {
		t, ok := g.catalog.Tool(c.Tokens[i].Text)
		if !ok || !strings.Contains(c.Tokens[i].Text, "_") {
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
		return t.Name + ": " + strings.Join(strings.Fields(t.Description), " ") + " Its arguments are " + phrase.JoinList(names, "and") + "."
	}
	return ""
}
