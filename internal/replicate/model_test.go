package replicate_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/replicate"
)

func newTranslator(t *testing.T) *replicate.Translator {
	t.Helper()
	c, err := catalog.Load("")
	if err != nil {
		t.Fatal(err)
	}
	models := &llm.Models{}
	if err := models.Replace([]llm.Model{{ID: "org/llama3:8b", ContextLength: 8192}}, ""); err != nil {
		t.Fatal(err)
	}
	return replicate.New("http://a.example/replicate/v1", c, models, nil)
}

// A client finds every model by its name and by its version, and both stay the same.
func TestModelsAreFound(t *testing.T) {
	t.Parallel()
	tr, again := newTranslator(t), newTranslator(t)
	name := regexp.MustCompile(`^[A-Za-z0-9._-]+$`)
	seen := map[string]bool{}
	for _, m := range tr.Models() {
		id := m.LatestVersion.ID
		if !name.MatchString(m.Name) || len(id) != 64 || seen[m.Name] || seen[id] {
			t.Errorf("got the name %q with the version %q, want both once", m.Name, id)
		}
		seen[m.Name], seen[id] = true, true
		for _, ref := range []string{id, m.Ref(), m.Ref() + ":" + id} {
			if found, err := again.FindVersion(ref); err != nil || found.Name != m.Name {
				t.Errorf("FindVersion(%q): %v", ref, err)
			}
		}
	}
	if found, err := tr.Find("atelier", "org-llama3-8b"); err != nil || !found.IsLanguage() {
		t.Errorf("a language model with a slash in its id: %v", err)
	}
}

// Clients know by these rules what a model takes and makes.
func TestSchemas(t *testing.T) {
	t.Parallel()
	for _, c := range newTranslator(t).Collections() {
		for _, m := range c.Models {
			s := m.LatestVersion.Schema.Components.Schemas
			out := s.Output
			if out.Items != nil {
				out = *out.Items
			}
			if isText := m.IsLanguage(); out.Type != "string" || isText == (out.Format == "uri") {
				t.Errorf("%s: got the output %+v", m.Name, s.Output)
			}
			if want := []string{"prompt"}; (c.Slug == "generate-image" || m.IsLanguage()) && !slices.Equal(s.Input.Required, want) {
				t.Errorf("%s: got the required fields %v, want %v", m.Name, s.Input.Required, want)
			}
			for name, p := range s.Input.Properties {
				if strings.HasSuffix(name, "_index") || strings.HasSuffix(name, "_indices") {
					t.Errorf("%s: the field %s takes an index", m.Name, name)
				}
				if isPicture := name == "image" || strings.HasSuffix(name, "_image"); isPicture && p.Format != "uri" {
					t.Errorf("%s: the field %s has the format %q, want uri", m.Name, name, p.Format)
				}
			}
		}
	}
}
