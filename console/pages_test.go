package console_test

import (
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/negotiate"
)

// readAll reads the files under a folder, by name.
func readAll(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(os.DirFS(dir), name)
		out[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 5 {
		t.Fatalf("found only %d files under %s", len(out), dir)
	}
	return out
}

var (
	markupReference = regexp.MustCompile(`\b(?:href|src)="([^"]*)"`)
	moduleReference = regexp.MustCompile(`"(\./[\w.-]+\.js)"`)
	moduleImport    = regexp.MustCompile(`(?:from|import)"(\./[\w.-]+\.js)"`)
)

// Every page and every module finds what it loads, and every file is loaded by something.
func TestEveryReferenceExists(t *testing.T) {
	t.Parallel()
	used := map[string]bool{"/console/licenses.txt": true} // linked by hand
	for name, text := range readAll(t, "pages") {
		pattern := markupReference
		if path.Ext(name) == ".js" {
			pattern = moduleReference
		} else if path.Ext(name) != ".html" {
			continue
		}
		for _, match := range pattern.FindAllStringSubmatch(text, -1) {
			address := match[1]
			if strings.HasPrefix(address, "./") {
				address = path.Join("/", path.Dir(name), address)
			}
			used[address] = true
			if address == "/openapi.json" { // the API's own
				continue
			}
			if got := ask(t, "GET", address).StatusCode; got != http.StatusOK {
				t.Errorf("%s refers to %s: got status %d, want 200", name, match[1], got)
			}
		}
	}
	for name := range readAll(t, "pages") {
		if strings.HasPrefix(name, "console/") && !used["/"+name] {
			t.Errorf("nothing refers to %s", name)
		}
	}
}

// What a person loads before the first page is there is small: the page, its styles, the text face
// and the modules of Create.
func TestFirstPageIsSmall(t *testing.T) {
	t.Parallel()
	const most = 150_000
	pages := readAll(t, "pages")
	next, seen, sum := []string{"index.html"}, map[string]bool{}, 0
	for name := range pages {
		if strings.HasPrefix(name, "console/create-") {
			next = append(next, name)
		}
	}
	for len(next) > 0 {
		name := next[0]
		next = next[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		text := pages[name]
		sum += min(len(text), len(negotiate.Compress([]byte(text))))
		switch path.Ext(name) {
		case ".html":
			for _, match := range markupReference.FindAllStringSubmatch(text, -1) {
				if strings.HasPrefix(match[1], "/console/") {
					next = append(next, match[1][1:])
				}
			}
		case ".js":
			for _, match := range moduleImport.FindAllStringSubmatch(text, -1) {
				next = append(next, path.Join(path.Dir(name), match[1]))
			}
		}
	}
	if !slices.ContainsFunc(slices.Collect(maps.Keys(seen)), func(name string) bool { return path.Ext(name) == ".woff2" }) {
		t.Error("the page does not load the text face at once")
	}
	if sum > most {
		t.Errorf("the first page has %d bytes, compressed, want at most %d", sum, most)
	}
	t.Logf("the first page: %d files, %d bytes", len(seen), sum)
}

// The text face is read by browsers for as long as its name is the same.
func TestTextFace(t *testing.T) {
	t.Parallel()
	for name, text := range readAll(t, "pages") {
		if path.Ext(name) != ".woff2" {
			continue
		}
		got := ask(t, "GET", "/"+name)
		if got.StatusCode != http.StatusOK || got.Header.Get("Content-Type") != "font/woff2" || !strings.Contains(got.Header.Get("Cache-Control"), "immutable") || !strings.HasPrefix(text, "wOF2") {
			t.Errorf("%s: got status %d and the headers %v", name, got.StatusCode, got.Header)
		}
		return
	}
	t.Error("there is no text face")
}

// The policy forbids all of these in a browser; this test finds them before.
func TestNoSourceNeedsWhatThePolicyForbids(t *testing.T) {
	t.Parallel()
	forbidden := regexp.MustCompile(`(?i)innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|\beval\(|new Function|document\.cookie|new (Shared)?Worker|<style[\s>]|"javascript:|url\(["']?(https?:|data:)`)
	for name, text := range readAll(t, "app") {
		if found := forbidden.FindString(text); found != "" {
			t.Errorf("app/%s uses %s: data becomes text nodes, and credentials are out of reach", name, found)
		}
	}
	for name, text := range readAll(t, "pages") {
		if found := regexp.MustCompile(`<style|\sstyle="|\son\w+="|<script(?:\s+type="module")?>`).FindString(text); found != "" && path.Ext(name) == ".html" {
			t.Errorf("%s has an inline script or style: %s", name, found)
		}
	}
}

// Nothing is loaded from another origin, whatever addresses texts and tests name. Credentials are only where token.ts
// puts its half; keep.ts has the choices of a person.
func TestNoSourceNamesAnotherOrigin(t *testing.T) {
	t.Parallel()
	external := regexp.MustCompile(`(?i)["'(\x60](?:https?|wss?)://[\w-]`)
	for name, text := range readAll(t, "app") {
		isShown := strings.HasPrefix(name, "texts/") || strings.HasPrefix(name, "reference/") || strings.HasSuffix(name, ".test.ts")
		if found := external.FindString(strings.ReplaceAll(text, "http://www.w3.org/2000/svg", "")); found != "" && !isShown {
			t.Errorf("app/%s refers to another origin: %s", name, found)
		}
		if strings.Contains(text, "localStorage") && name != "token.ts" && name != "keep.ts" {
			t.Errorf("app/%s uses localStorage: only token.ts and keep.ts keep something there", name)
		}
	}
}
