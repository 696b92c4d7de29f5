package ateliertest

import (
	"fmt"
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

// exchange is a request and the answer that is expected.
type exchange struct {
	method, path string
	as, by       string
	headers      []string
	body         string
	status       string
	wantHeaders  []string
	want         string // JSON
	wantText     []string
}

func parseExchange(lines []string) (e exchange, err error) {
	words := strings.Fields(lines[0])
	if len(words) < 2 || !strings.HasPrefix(words[1], "/") {
		return e, fmt.Errorf("want METHOD /path, got %q", lines[0])
	}
	e.method, e.path = words[0], words[1]
	for i := 2; i+1 < len(words); i += 2 {
		switch words[i] {
		case "as":
			e.as = words[i+1]
		case "by":
			e.by = words[i+1]
		default:
			return e, fmt.Errorf("what is %q?", words[i])
		}
	}
	body := &e.body
	for _, line := range lines[1:] {
		switch {
		case strings.HasPrefix(line, "> "):
			e.headers = append(e.headers, line[2:])
		case strings.HasPrefix(line, "=> "):
			e.status = strings.TrimSpace(line[3:])
			body = &e.want
		case strings.HasPrefix(line, "< "):
			e.wantHeaders = append(e.wantHeaders, line[2:])
		case strings.HasPrefix(line, "|"):
			e.wantText = append(e.wantText, strings.TrimPrefix(line[1:], " "))
		default:
			*body += line + "\n"
		}
	}
	if e.status == "" {
		return e, fmt.Errorf("the request has no => STATUS")
	}
	return e, nil
}
