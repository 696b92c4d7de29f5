package test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
)

// sitePolicy lets a page load nothing from another host: the browser reports what it refuses, and a message in
// its console fails the test.
const sitePolicy = "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"

// The documentation as a site, which ATELIER_TEST_SITE names: a reader searches for a word, opens what was found, and
// turns the light off.
func TestSite(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("ATELIER_TEST_SITE")
	if dir == "" {
		t.Skip("ATELIER_TEST_SITE names no folder: scripts/site builds one")
	}
	files := http.FileServer(http.Dir(dir))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", sitePolicy)
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)

	p := openPage(t, s.URL, desktop)
	p.open("/")
	p.see("heading", "Documentation")
	p.saveScreenshot("home")

	p.click("button", "Search")
	p.wait("the search", `document.activeElement?.id === "localsearch-input"`)
	p.press("LISTEN pooler")
	p.see("link", "Many nodes > Nudges")
	p.saveScreenshot("search")
	p.click("link", "Many nodes > Nudges")
	p.see("heading", "Many nodes")
	p.wait("the light", `!document.documentElement.classList.contains("dark")`)
	p.saveScreenshot("a guide")

	p.click("switch", "") // its name is a tooltip
	p.wait("the dark", `document.documentElement.classList.contains("dark")`)
	p.saveScreenshot("a guide in the dark")

	small := openPage(t, s.URL, phone)
	small.open("/operations.html")
	small.see("heading", "Runbooks")
	small.wait("no more than the width of a phone", `document.documentElement.scrollWidth <= innerWidth`)
	small.saveScreenshot("on a phone")
}
