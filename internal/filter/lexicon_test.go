package filter_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/atelier-project/atelier/internal/filter"
)

// The reader says which file and line is wrong, and with what.
func TestLexiconRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"terms/xx.txt", "[missing]\nnude", `xx.txt:1: rules.txt has no role "missing"`},
		{"terms/xx.txt", "\nnude", `xx.txt:2: "nude" stands under no heading`},
		{"terms/xx.txt", "[sexual]\nnud* woman", "xx.txt:2: \"nud* woman\": only the last word can have any ending"},
		{"terms/xx.txt", "[sexual]\nnaked|| woman", "has no letters"},
		{"rules.txt", "flag sexual\nflag sexual", "rules.txt:2:"},
		{"rules.txt", "flag safe", "rules.txt:1:"},
		{"rules.txt", "flag sexual\npair sexual minor with sexual within 3", "rules.txt:2: a pair needs"},
		{"rules.txt", "flag a\nrole b\npair b a with b within 3", "rules.txt:3: a pair needs"},
		{"rules.txt", "flag a\nrole b\npair a a with b within none", "rules.txt:3: a pair needs"},
		{"rules.txt", "flog a", "rules.txt:1: cannot be read"},
		{"fold.txt", "abcd á", "fold.txt:1:"},
		{"fold.txt", "a", "fold.txt:1:"},
		{"twin.txt", "other аa", "twin.txt:1:"},
		{"twin.txt", "same aa", "twin.txt:1:"},
	} {
		files := fstest.MapFS{
			"fold.txt":  {Data: []byte("a á")},
			"twin.txt":  {Data: []byte("same аa")},
			"rules.txt": {Data: []byte("flag sexual")},
		}
		files[c.name] = &fstest.MapFile{Data: []byte(c.text)}
		if err := filter.ReadLexicon(files); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: got %v, want %q", c.name, c.text, err, c.want)
		}
	}
	for _, missing := range []string{"fold.txt", "twin.txt", "rules.txt"} {
		files := fstest.MapFS{"fold.txt": {}, "twin.txt": {}, "rules.txt": {}}
		delete(files, missing)
		if err := filter.ReadLexicon(files); err == nil {
			t.Errorf("without %s: got no error", missing)
		}
	}
}

// No term is listed twice under a heading, and each language has terms for every
// role.
func TestLexiconFiles(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(filter.Data, "data/terms/*.txt")
	if err != nil || len(names) < 10 {
		t.Fatalf("got files %q, %v, want ten languages or more", names, err)
	}
	for _, name := range names {
		raw, err := fs.ReadFile(filter.Data, name)
		if err != nil {
			t.Fatal(err)
		}
		heading, seen, headings := "", map[string]bool{}, map[string]bool{}
		for row := range strings.SplitSeq(string(raw), "\n") {
			row, _, _ = strings.Cut(row, "//")
			if row = strings.TrimSpace(row); strings.HasPrefix(row, "[") {
				heading = row
				headings[row] = true
				continue
			}
			for term := range strings.SplitSeq(row, ",") {
				if term = strings.TrimSpace(term); term == "" {
					continue
				}
				if seen[heading+term] {
					t.Errorf("%s: %s has %q twice", name, heading, term)
				}
				seen[heading+term] = true
			}
		}
		if strings.HasSuffix(name, "/other.txt") {
			continue
		}
		for _, want := range []string{
			"[sexual]", "[sexual/minors]", "[suggestive]", "[minor]", "[violence/graphic]", "[hate]", "[self-harm]", "[recipe]", "[hazard]", "[safe]", "[not]",
		} {
			if !headings[want] {
				t.Errorf("%s has no %s", name, want)
			}
		}
	}
}
