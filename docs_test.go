package atelier_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
)

var (
	fencedCode = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```[ \t]*$")
	inlineCode = regexp.MustCompile("`[^`\n]*`")
	pageLink   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading    = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
)

// TestDocumentationLinks follows every link of a page to a file of this repository, and to the heading that it names.
func TestDocumentationLinks(t *testing.T) {
	t.Parallel()
	for _, dead := range deadLinks(t, os.DirFS(".")) {
		t.Error(dead)
	}
}

func TestDeadLinksAreFound(t *testing.T) {
	t.Parallel()
	pages := fstest.MapFS{
		"docs/a.md": {Data: []byte("# A\n\n[b](b.md#the-b-s-part) [none](none.md) [c](b.md#c) [up](../../x) [self](#a)\n```\n[code](x.md)\n```\n")},
		"docs/b.md": {Data: []byte("# B\n\n## The `b`-s part\n\n```\n# C\n```\n[a site](https://example.org/x.md)\n")},
	}
	got := strings.Join(deadLinks(t, pages), "\n")
	want := "docs/a.md: none.md is not there\ndocs/a.md: b.md#c: there is no such heading\ndocs/a.md: ../../x is not there"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestDocumentationIsListed holds the index of the documentation against its pages: docs/README.md, or the index of
// a folder (docs/adr/README.md, docs/operations.md), links each of them. The site is navigated by these links.
func TestDocumentationIsListed(t *testing.T) {
	t.Parallel()
	files := os.DirFS(".")
	linked := func(index string) []string {
		text, err := fs.ReadFile(files, index)
		if err != nil {
			return nil
		}
		var pages []string
		for _, m := range pageLink.FindAllStringSubmatch(string(text), -1) {
			page, _, _ := strings.Cut(m[1], "#")
			pages = append(pages, path.Join(path.Dir(index), page))
		}
		return pages
	}
	listed := linked("docs/README.md")
	for _, page := range pagesBelow(t, files, "docs") {
		folder := path.Dir(page)
		if page != "docs/README.md" && !slices.Contains(slices.Concat(listed, linked(folder+"/README.md"), linked(folder+".md")), page) {
			t.Errorf("%s is in no index: link it in docs/README.md or in the index of its folder", page)
		}
	}
}

// deadLinks lists the links of all pages that lead nowhere.
func deadLinks(t *testing.T, files fs.FS) (dead []string) {
	t.Helper()
	for _, page := range pagesBelow(t, files, ".") {
		for _, m := range pageLink.FindAllStringSubmatch(inlineCode.ReplaceAllString(fencedCode.ReplaceAllString(read(t, files, page), ""), ""), -1) {
			link, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(m[1], ":") { // an address
				continue
			}
			target := path.Join(path.Dir(page), link)
			if link == "" {
				target = page
			}
			if _, err := fs.Stat(files, target); err != nil {
				dead = append(dead, fmt.Sprintf("%s: %s is not there", page, m[1]))
			} else if anchor != "" && strings.HasSuffix(target, ".md") && !slices.Contains(anchors(read(t, files, target)), anchor) {
				dead = append(dead, fmt.Sprintf("%s: %s: there is no such heading", page, m[1]))
			}
		}
	}
	return dead
}

// anchors are the names that headings of a page have in its address, as GitHub and the site make them.
func anchors(text string) (names []string) {
	for _, m := range heading.FindAllStringSubmatch(fencedCode.ReplaceAllString(text, ""), -1) {
		names = append(names, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, pageLink.ReplaceAllString(m[1], "")))
	}
	return names
}

func read(t *testing.T, files fs.FS, name string) string {
	t.Helper()
	text, err := fs.ReadFile(files, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// pagesBelow are the Markdown files of a folder that people wrote or generated for this repository.
func pagesBelow(t *testing.T, files fs.FS, folder string) (pages []string) {
	t.Helper()
	err := fs.WalkDir(files, folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"node_modules", "testdata", "third_party", "data", "dist"}, d.Name())) {
			return fs.SkipDir
		}
		if filepath.Ext(name) == ".md" {
			pages = append(pages, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}
