package offline

import (
	_ "embed"
	"fmt"
	"hash/fnv"
	"strings"
)

// phrases are the sentences that the model says.
type phrases struct {
	done  map[string]saying
	lacks map[string]string // "tool kind"
	talk  map[string]string
	not   map[string]string // what it cannot do
	ideas []string
}

// saying is what is said of a task: one result, several, or none.
type saying struct{ one, many, failed string }

//go:embed data/say.txt
var sentenceFile string

//go:embed data/idea.txt
var ideaFile string

// readPhrases reads the files of sentences and ideas.
func readPhrases() (*phrases, error) {
	p := &phrases{done: map[string]saying{}, lacks: map[string]string{}, talk: map[string]string{}, not: map[string]string{}}
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
			p.lacks[key] = cells[1]
		case len(cells) == 2 && sort == "!":
			p.talk[key] = cells[1]
		case len(cells) == 2 && sort == "&":
			p.not[key] = cells[1]
		case len(cells) == 4:
			p.done[cells[0]] = saying{cells[1], cells[2], cells[3]}
		default:
			return nil, fmt.Errorf("data/say.txt:%d: want a key and a sentence, or a tool and three", n+1)
		}
	}
	p.ideas = strings.Split(strings.TrimSpace(ideaFile), "\n")
	return p, nil
}

// lacking asks for the media that a tool needs.
func (p *phrases) lacking(tool, kind string) string {
	for _, key := range []string{tool + " " + kind, "* " + kind} {
		if s := p.lacks[key]; s != "" {
			return s
		}
	}
	return p.lacks["* *"]
}

// of finds what is said of a tool.
func (p *phrases) of(tool string) saying {
	if s, ok := p.done[tool]; ok {
		return s
	}
	return p.done["*"]
}

// idea is a picture for somebody who leaves the choice to the model. The same
// message gets the same one.
func (p *phrases) idea(said string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(said))
	return p.ideas[h.Sum32()%uint32(len(p.ideas))]
}
