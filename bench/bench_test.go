package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/bench/measure"
)

func TestGoBenchmarksAreRead(t *testing.T) {
	t.Parallel()
	got := parseGoBench("Write", `goos: linux
BenchmarkWrite/sqlite/callers=1-2         	      31	   3298474 ns/op	       303.2 tx/s
BenchmarkWrite/sqlite/callers=64          	    1000	     98474 ns/op	     10155 tx/s
BenchmarkWriter/other-2                   	    1000	     98474 ns/op	         1 tx/s
PASS
`)
	if len(got) != 2 || got["sqlite/callers=1"]["tx/s"] != 303.2 || got["sqlite/callers=64"]["tx/s"] != 10155 {
		t.Errorf("got %v", got)
	}
}

// Every aim belongs to a part.
func TestAims(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, p := range parts {
		known[p.name] = true
	}
	for name := range aims {
		if part, _, _ := strings.Cut(name, "/"); !known[part] {
			t.Errorf("%q is an aim of no part", name)
		}
	}
}

// A result that a page names is stored, and a plot shows what its result has.
func TestDocumentedResults(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile(`bench/results/([\w.+-]+\.json)`)
	pages := 0
	for _, folder := range []string{"../docs", "../docs/*"} {
		files, err := filepath.Glob(folder + "/*.md")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range named.FindAllSubmatch(text, -1) {
				pages++
				if _, err := measure.Read(filepath.Join("results", string(m[1]))); err != nil {
					t.Errorf("%s names a result that is not stored: %v", file, err)
				}
			}
		}
	}
	if pages == 0 {
		t.Error("no page names a result")
	}
	plots, err := filepath.Glob("../docs/images/bench-*.svg")
	if err != nil || len(plots) == 0 {
		t.Fatalf("found no plots, %v", err)
	}
	shown := regexp.MustCompile(`>([\w.+-]+\.json),`)
	for _, file := range plots {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m := shown.FindSubmatch(text)
		if m == nil {
			t.Errorf("%s names no result", file)
			continue
		}
		r, err := measure.Read(filepath.Join("results", string(m[1])))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		dir := t.TempDir()
		if _, err := r.Plots(dir); err != nil {
			t.Fatal(err)
		}
		if drawn, err := os.ReadFile(filepath.Join(dir, filepath.Base(file))); err != nil || !bytes.Equal(drawn, text) {
			t.Errorf("%s is not what its result has: bench plot bench/results/%s docs/images", file, m[1])
		}
	}
}
