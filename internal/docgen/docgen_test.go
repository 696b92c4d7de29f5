package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/wire"
)

func TestDocumentsAreUpToDate(t *testing.T) {
	t.Parallel()
	texts, err := documents(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range texts {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Errorf("%v: run make generate", err)
			continue
		}
		if string(text) != want {
			t.Errorf("%s is out of date: run make generate", path)
		}
	}
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", toolsDirectory, "*"))
	for _, page := range pages {
		if _, ok := texts[page]; !ok {
			t.Errorf("%s is about no tool: remove it", page)
		}
	}
	if err != nil || len(pages) < 40 {
		t.Errorf("there are %d pages about tools, %v", len(pages), err)
	}
}

// A request has each member by its first spelling, and other names where it takes them.
func TestTypeOfRequest(t *testing.T) {
	t.Parallel()
	type plain struct {
		SessionID string `wire:"session_id,required"`
		Steps     int    `wire:"steps"`
	}
	type open struct {
		plain
		Extra map[string]wire.Raw `wire:",extra"`
	}
	cases := []struct {
		shape *wire.Shape
		want  string
	}{
		{wire.ShapeOf(reflect.TypeFor[plain](), wire.AnyCase), "{\n  session_id: string;\n  steps?: number;\n}"},
		{wire.ShapeOf(reflect.TypeFor[open](), wire.Lenient), "{\n  session_id: string;\n  steps?: number;\n  [name: string]: unknown;\n}"},
	}
	for _, c := range cases {
		text, err := wire.Marshal((&wire.Describer{}).Request(c.shape))
		if err != nil {
			t.Fatal(err)
		}
		var s schema
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(err)
		}
		if got := s.text(""); got != c.want {
			t.Errorf("%s: got %s, want %s", text, got, c.want)
		}
	}
}

// Every test that the security page names exists.
func TestPromisesAreTested(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && name != ".." && strings.HasPrefix(name, "."):
			return fs.SkipDir
		case strings.HasSuffix(name, ".scenario") || strings.HasSuffix(name, ".txtar"):
			there[name] = true
		case strings.HasSuffix(name, "_test.go"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, m := range function.FindAllSubmatch(text, -1) {
				there[string(m[1])] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+|\\w+\\.(?:scenario|txtar))`").FindAllSubmatch(page, -1)
	if len(named) < 50 {
		t.Errorf("the page names %d tests", len(named))
	}
	for _, m := range named {
		if !there[string(m[1])] {
			t.Errorf("docs/security.md names %s, which does not exist", m[1])
		}
	}
}
