package write

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/atelier-project/atelier/internal/yamldoc"
)

//go:embed data
var data embed.FS

// subject is something that prompts are about, and what suits it.
type subject struct {
	Name        string   `yaml:"name"`
	Words       []string `yaml:"words"`
	Weak        []string `yaml:"weak"` // used when no other word matches
	Composition []string `yaml:"composition"`
	Light       []string `yaml:"light"`
	Lens        []string `yaml:"lens"`
	Detail      []string `yaml:"detail"`
	Mood        []string `yaml:"mood"`
	Tags        []string `yaml:"tags"`
	Motion      []string `yaml:"motion"`
	Camera      []string `yaml:"camera"`
	Sound       string   `yaml:"sound"`
	Views       []string `yaml:"views"`
}

// setting is where and when something happens.
type setting struct {
	Name  string   `yaml:"name"`
	Words []string `yaml:"words"`
	Light []string `yaml:"light"`
	Air   string   `yaml:"air"`
	Sound string   `yaml:"sound"`
}

// feeling is a mood that a prompt names.
type feeling struct {
	Name   string   `yaml:"name"`
	Words  []string `yaml:"words"`
	Phrase string   `yaml:"phrase"`
	Grade  string   `yaml:"grade"`
}

// manner is how a picture is made.
type manner struct {
	Name   string   `yaml:"name"`
	Made   bool     `yaml:"made"` // by hand or machine, not by a camera
	Words  []string `yaml:"words"`
	Detail string   `yaml:"detail"`
	Tags   []string `yaml:"tags"`
}

// lexicon is everything that the rules know. It does not change.
type lexicon struct {
	Subjects []*subject          `yaml:"subjects"`
	Other    *subject            `yaml:"other"`
	Settings []*setting          `yaml:"settings"`
	Moods    []*feeling          `yaml:"moods"`
	Manners  []*manner           `yaml:"manners"`
	Said     map[string][]string `yaml:"said"`

	scripts scriptbook
	music   musicbook
	songs   []*songbook
}

// loadLexicon reads the embedded data once. It is part of the program, and the
// tests read it too, so a mistake in it is a bug.
var loadLexicon = sync.OnceValue(func() *lexicon {
	l := &lexicon{}
	read := func(name string, dst any) {
		text, err := data.ReadFile("data/" + name)
		if err == nil {
			err = yamldoc.Decode(name, text, dst)
		}
		if err != nil {
			panic(fmt.Sprintf("write: %v", err))
		}
	}
	read("subject.yaml", l)
	read("script.yaml", &l.scripts)
	read("music.yaml", &l.music)
	names, err := fs.Glob(data, "data/lyrics/*.yaml")
	if err != nil {
		panic(fmt.Sprintf("write: %v", err))
	}
	for _, name := range names {
		s := &songbook{}
		read(strings.TrimPrefix(name, "data/"), s)
		l.songs = append(l.songs, s)
	}
	return l
})
