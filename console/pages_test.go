package console_test

import (
	"io/fs"
	"net/http"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
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
