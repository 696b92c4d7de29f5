package ateliertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/store"
)

// Scenarios runs every scenario file of a folder on every database.
func Scenarios(t *testing.T, folder string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.scenario"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios in %s: %v", folder, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".scenario"), func(t *testing.T) {
			t.Parallel()
			Each(t, func(t *testing.T, o store.Options) { newWorld(t, o, file).run(string(text)) })
		})
	}
}

// Scenario runs one scenario file, with more keys of the configuration set.
func Scenario(t *testing.T, o store.Options, file string, settings ...string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, o, file)
	w.settings = settings
	w.run(string(text))
}

// paragraph is one step of a scenario.
type paragraph struct {
	line  int
	lines []string
}

// paragraphs splits a scenario, leaving comments out.
func paragraphs(text string) (out []paragraph) {
	var p paragraph
	end := func() {
		if len(p.lines) > 0 {
			out = append(out, p)
		}
		p = paragraph{}
	}
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.TrimSpace(line) == "":
			end()
		default:
			if len(p.lines) == 0 {
				p.line = i + 1
			}
			p.lines = append(p.lines, line)
		}
	}
	end()
	return out
}
