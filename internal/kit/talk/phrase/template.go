package phrase

import (
	"cmp"
	_ "embed"
	"fmt"
	"hash/fnv"
	"strings"
)

// Templates are the sentences that the model says.
type Templates struct {
	results   map[string]ResultTemplate
	questions map[string]string // by "tool kind"
	SmallTalk map[string]string
	Refusals  map[string]string // by what cannot be done
	ideas     []string
}

// ResultTemplate is what is said about a task: one result, several, or none.
type ResultTemplate struct{ One, Many, Failed string }

//go:embed data/say.txt
var sentenceFile string

//go:embed data/idea.txt
var ideaFile string

// Load reads the embedded sentences and ideas.
func Load() (*Templates, error) {
	p := &Templates{results: map[string]ResultTemplate{}, questions: map[string]string{}, SmallTalk: map[string]string{}, Refusals: map[string]string{}}
	for n, row := range strings.Split(sentenceFile, "\n") {
		row = strings.TrimSpace(row)
		if row == "" || strings.HasPrefix(row, "//") {
			continue
		}
		cells := strings.Split(row, "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		sort, key, _ := strings.Cut(cells[0], " ")
		switch {
		case len(cells) == 2 && sort == "?":
			p.questions[key] = cells[1]
		case len(cells) == 2 && sort == "!":
			p.SmallTalk[key] = cells[1]
		case len(cells) == 2 && sort == "&":
			p.Refusals[key] = cells[1]
		case len(cells) == 4:
			p.results[cells[0]] = ResultTemplate{cells[1], cells[2], cells[3]}
		default:
			return nil, fmt.Errorf("data/say.txt:%d: want a key and a sentence, or a tool and three", n+1)
		}
	}
	p.ideas = strings.Split(strings.TrimSpace(ideaFile), "\n")
	return p, nil
}

// AskForMedia returns the question for the media that a tool needs.
func (p *Templates) AskForMedia(tool, kind string) string {
	return cmp.Or(p.questions[tool+" "+kind], p.questions["* "+kind], p.questions["* *"])
}

// ForTool returns the sentences for the results of a tool.
func (p *Templates) ForTool(tool string) ResultTemplate {
	return cmp.Or(p.results[tool], p.results["*"])
}

// PickIdea returns a picture for a user who leaves the choice to the model. The same message gets the same one.
func (p *Templates) PickIdea(said string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(said))
	return p.ideas[h.Sum32()%uint32(len(p.ideas))]
}
