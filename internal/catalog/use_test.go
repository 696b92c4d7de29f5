package catalog_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
)

const harbour = `
models:
  - { id: harbour, base: image, sid: 9001, name: Harbour, tierId: harbour, tags: [community], selectors: { generate_image: [harbour] }, price: { usd: "0.0100", per: megapixel } }
`

// Who has a catalog sees what it holds since, and what is made of it is made again then and no sooner.
func TestUse(t *testing.T) {
	t.Parallel()
	load := func(more ...catalog.File) *catalog.Catalog {
		c, err := catalog.Load("", more...)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c, plain := load(), load()
	made := 0
	count := catalog.Derive(c, func() int { made++; return len(c.Models()) })
	before := count()
	if _, there := c.Model("harbour"); there || count() != before || made != 1 {
		t.Fatalf("before the change: harbour %v, made %d times", there, made)
	}
	c.Use(load(catalog.File{Name: "harbour", Data: []byte(harbour)}))
	if m, ok := c.Model("harbour"); !ok || m.Name != "Harbour" {
		t.Errorf("got the model %+v, want Harbour", m)
	}
	if count() != before+1 || made != 2 {
		t.Errorf("got %d models, made %d times", count(), made)
	}
	step, err := c.Step("generate_image", map[string]any{"prompt": "x", "model": "harbour"}, catalog.Facts{})
	if err != nil || step.ModelID() != "harbour" {
		t.Errorf("got the step %+v, %v", step, err)
	}
	if c.Version() == plain.Version() {
		t.Error("the version is that of the catalog before the change")
	}
	c.Use(plain)
	if _, there := c.Model("harbour"); there || count() != before {
		t.Errorf("after the second change: harbour %v, %d models", there, count())
	}
	if _, there := plain.Model("harbour"); there {
		t.Error("another catalog has the model too")
	}
	if _, err := catalog.Load("", catalog.File{Name: "mine", Data: []byte("models: [{ id: a }]")}); err == nil || !strings.Contains(err.Error(), "mine") {
		t.Errorf("a bad file: got %v, want one that names it", err)
	}
}

// More files come on top of what a catalog was loaded from, whatever has become of that since.
func TestWith(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "mine.yaml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	priced := func(usd string) string {
		return `models: [{ id: mine, base: image, sid: 9002, name: Mine, tierId: mine, tags: [community], selectors: { generate_image: [mine] }, price: { usd: "` + usd + `", per: megapixel } }]`
	}
	write(priced("0.01"))
	plain, err := catalog.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, now := range []string{priced("0.02"), "models: ["} {
		write(now)
		with, err := plain.With(catalog.File{Name: "harbour", Data: []byte(harbour)})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := with.Model("harbour"); !ok {
			t.Error("the model of the file is missing")
		}
		if m, ok := with.Model("mine"); !ok || m.Price.USD != 10_000 {
			t.Errorf("a model of the directory is %+v", m)
		}
	}
	if _, err := plain.With(catalog.File{Name: "mine", Data: []byte("models: [{ id: a }]")}); err == nil || !strings.Contains(err.Error(), "mine") {
		t.Errorf("a bad file: got %v, want one that names it", err)
	}
	if _, there := plain.Model("harbour"); there {
		t.Error("the catalog without the file has its model")
	}
}
