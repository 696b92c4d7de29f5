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

// sources reads every file that is served, by its name under pages/.
func sources(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	pages := os.DirFS("pages")
	err := fs.WalkDir(pages, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(pages, name)
		out[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 5 {
		t.Fatalf("found only %d files under pages", len(out))
	}
	return out
}

var (
	markupReference = regexp.MustCompile(`\b(?:href|src)="([^"]*)"`)
	moduleReference = regexp.MustCompile(`(?m)(?:\bfrom|^import|\bimport\()\s*"([^"]+)"`)
	styleReference  = regexp.MustCompile(`(?:url\(|@import)\s*["']?([^"')\s]+)`)
)

// references lists the addresses that a file loads or links to.
func references(name, text string) []string {
	patterns := map[string]*regexp.Regexp{".html": markupReference, ".svg": markupReference, ".js": moduleReference, ".css": styleReference}
	var out []string
	for _, match := range patterns[path.Ext(name)].FindAllStringSubmatch(text, -1) {
		out = append(out, match[1])
	}
	return out
}

func TestEveryReferenceExists(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for name, text := range sources(t) {
		for _, reference := range references(name, text) {
			address, _, _ := strings.Cut(reference, "#")
			if strings.HasPrefix(address, "./") {
				address = path.Join("/", path.Dir(name), address)
			}
			used[address] = true
			if address == "" || address == "/openapi.json" { // the page itself; the API's own
				continue
			}
			if got := ask(t, "GET", address).StatusCode; got != http.StatusOK {
				t.Errorf("%s refers to %s: got status %d, want 200", name, reference, got)
			}
		}
	}
	for name := range sources(t) {
		if strings.HasPrefix(name, "console/") && !used["/"+name] {
			t.Errorf("nothing refers to %s", name)
		}
	}
}

func TestNoFileIsLoadedFromAnotherOrigin(t *testing.T) {
	t.Parallel()
	// An XML namespace and the address in a sample are not requests.
	allowed := strings.NewReplacer(`xmlns="http://www.w3.org/2000/svg"`, "", `"https://example.com/picture.png"`, "")
	external := regexp.MustCompile(`(?i)\b(?:https?|wss?):|["'(]\s*//\w`)
	for name, text := range sources(t) {
		if found := external.FindString(allowed.Replace(text)); found != "" {
			t.Errorf("%s refers to another origin: %s", name, found)
		}
	}
}

// The policy forbids all of these in a browser; this test finds them before.
func TestNoPageNeedsWhatThePolicyForbids(t *testing.T) {
	t.Parallel()
	inline := regexp.MustCompile(`(?i)<style|\sstyle="|\son\w+="|<script(?:\s+type="module")?>|javascript:`)
	markup := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|\beval\(|new Function|localStorage|document\.cookie`)
	for name, text := range sources(t) {
		if found := inline.FindString(text); found != "" && path.Ext(name) == ".html" {
			t.Errorf("%s has an inline script or style: %s", name, found)
		}
		if found := markup.FindString(text); found != "" {
			t.Errorf("%s uses %s: data becomes text nodes, and keys stay in sessionStorage", name, found)
		}
	}
}
